import { type ComponentType, h, hydrate, render } from "preact";
import { ROOT_ID } from "../root.ts";

function findRoot(): { root: HTMLElement; props: string } | undefined {
  const root = document.getElementById(ROOT_ID);
  const props = root?.dataset["props"];
  return root === null || props === undefined ? undefined : { root, props };
}

/** Returns the props of a page whose content the script does not render again. */
export function readProps<Props>(): Props {
  return JSON.parse(findRoot()?.props ?? "{}") as Props;
}

/** Takes over the content that the server rendered with the same component and props. */
export function hydratePage<Props extends object>(Page: ComponentType<Props>): void {
  const found = findRoot();
  if (found !== undefined) hydrate(h(Page, JSON.parse(found.props) as Props), found.root);
}

/** Replaces the content that the server rendered for readers without scripts. */
export function renderPage<Props extends object>(Page: ComponentType<Props>): void {
  const found = findRoot();
  if (found === undefined) return;
  found.root.replaceChildren();
  render(h(Page, JSON.parse(found.props) as Props), found.root);
}
