import { Html } from "./html.ts";

/** With scripts on, the plain page appears only if the reference has not loaded after 1.5 s. */
export const STYLE = new Html(`
body { margin: 0; }
body:has(.scalar-app) > .plain { display: none; }
@media (scripting: enabled) { .plain { animation: 1ms 1.5s both appear; } }
@keyframes appear { from { visibility: hidden; } to { visibility: visible; } }
.plain {
  color-scheme: light dark;
  --ink: light-dark(#1c1c1e, #e6e6e8); --paper: light-dark(#fff, #131316); --soft: light-dark(#f4f4f6, #1d1d22);
  --line: light-dark(#dcdce1, #34343c); --faint: light-dark(#5c5c66, #a2a2ad); --link: light-dark(#0a58ca, #7db2ff);
  color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word;
  min-height: 100vh; box-sizing: border-box; padding: 2rem max(1rem, calc(50vw - 29rem)) 4rem;
  h1 { font-size: 2rem; margin: 0 0 1rem; }
  h2 { font-size: 1.5rem; margin: 3rem 0 .75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
  h3 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
  h4 { font-size: 1rem; margin: 0 0 .25rem; }
  a { color: var(--link); }
  nav { display: flex; flex-wrap: wrap; gap: .35rem 1rem; }
  article { border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; margin: 1rem 0; }
  article p { margin: .25rem 0; }
  code, pre { font: .875em/1.5 ui-monospace, Menlo, Consolas, monospace; }
  :not(pre) > code { background: var(--soft); border-radius: 4px; padding: .1em .3em; }
  pre { background: var(--soft); border-radius: 8px; padding: .8rem 1rem; margin: .75rem 0; overflow-x: auto; }
  pre code { font-size: 1em; }
  .table { overflow-x: auto; margin: .75rem 0; }
  table { border-collapse: collapse; font-size: .9rem; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
  th { color: var(--faint); font-weight: 500; }
  summary { cursor: pointer; color: var(--faint); padding: .2rem 0; }
  .responses { padding-left: 1.1rem; }
  .method { font: 600 .8rem ui-monospace, Menlo, Consolas, monospace; padding: .1rem .4rem; border-radius: 4px; background: var(--soft); }
  .get { color: light-dark(#0a58ca, #7db2ff); }
  .post { color: light-dark(#15803d, #6ddc97); }
  .patch { color: light-dark(#a05a00, #f0b45c); }
  .delete { color: light-dark(#c02626, #ff8d8d); }
  @media (max-width: 40rem) {
    thead { display: none; }
    tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
    td { border: 0; display: inline; padding: 0 .25rem 0 0; }
    td:last-child { display: block; padding: 0; }
  }
  .scope { color: var(--faint); }
}
`);
