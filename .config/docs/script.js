// Makes the page interactive. The page has the same content without this script. The script
// searches, copies examples, fills the reader's address, key and business into them, and sends GET
// requests. The key is sent to this server only and never stored.

const { base } = document.documentElement.dataset;
const ownPath = location.pathname.replace(/\/docs(\/.*)?$/, "");
const ownBase = location.origin + ownPath;
const EXAMPLE_BUSINESS = "salon-aurora";
const EXAMPLE_KEY = /\$KEY\b|deskbell_rk_…/g;

const reader = { key: "", business: EXAMPLE_BUSINESS };

const SAMPLES = "pre > code:is(.language-sh, .language-ts, .language-python)";
const examples = [...document.querySelectorAll(SAMPLES)].map((element) => ({
  element,
  text: element.textContent.replaceAll(base, ownBase),
}));

const personalize = (text) =>
  text
    .replaceAll(EXAMPLE_BUSINESS, reader.business)
    .replace(EXAMPLE_KEY, (name) => reader.key || name);

function showExamples() {
  for (const { element, text } of examples) element.textContent = personalize(text);
}

function createElement(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Returns a form with one field and one button. `submit` returns the text to show. */
function createForm(label, field, button, submit) {
  const input = createElement("input", { required: true, spellcheck: false, ...field });
  const output = createElement("output", {});
  const form = createElement(
    "form",
    {},
    createElement("label", {}, label, input),
    createElement("button", {}, button),
    output,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    output.replaceChildren(await submit(input.value.trim()).catch((error) => error.message));
  });
  return form;
}

function send(url) {
  const headers = reader.key ? { authorization: `Bearer ${reader.key}` } : {};
  return fetch(url, { headers, credentials: "omit", redirect: "error" });
}

/**
 * Uses a key in the examples. The name of the key's business is read from the error that the API
 * returns for a request to another business.
 */
async function useKey(key) {
  if (!/^deskbell_[rs]k_\w+$/.test(key)) return "This is not an API key: it starts with deskbell_.";
  Object.assign(reader, { key, business: EXAMPLE_BUSINESS });
  const response = await send(`${ownBase}/v1/businesses/${EXAMPLE_BUSINESS}/services?limit=1`);
  const { code, detail = "" } = await response.json();
  if (code === "business_mismatch")
    reader.business = /\/businesses\/([\w-]+)/.exec(detail)?.[1] ?? EXAMPLE_BUSINESS;
  else if (response.status === 401) {
    reader.key = "";
    return detail;
  }
  showExamples();
  return `The examples use the business ${reader.business}.`;
}

async function showResponse(address) {
  const url = new URL(address, ownBase);
  if (url.origin !== location.origin) return "Only requests to this server can be sent.";
  const response = await send(url);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  const body = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text;
  const status = `${response.status} ${response.statusText}\n\n`;
  return createElement("pre", { tabIndex: 0 }, createElement("code", {}, status + body));
}

function addSendForm({ element, text }) {
  const [, url] = /^curl (?:-H "[^"]+" \\\n {2})?"(http[^"$]+)"$/.exec(text) ?? [];
  if (url === undefined) return;
  const details = createElement("details", {}, createElement("summary", {}, "Send this request"));
  details.addEventListener(
    "toggle",
    () => {
      const field = { value: personalize(url) };
      details.append(createForm("URL", field, "Send", showResponse));
    },
    { once: true },
  );
  (element.closest(".tabs") ?? element.parentElement).after(details);
}

/** Opens the tab of the same language in all other samples. */
function followLanguage({ target }) {
  if (!target.matches(".tabs > details[open]")) return;
  const { textContent } = target.firstElementChild;
  const { top } = target.parentElement.getBoundingClientRect();
  for (const summary of document.querySelectorAll(".tabs > details:not([open]) > summary"))
    if (summary.textContent === textContent) summary.parentElement.open = true;
  // Samples above this one may now be longer or shorter, so the page scrolls to keep this one in
  // its place.
  scrollBy(0, target.parentElement.getBoundingClientRect().top - top);
}

/** Adds a button that copies a block. Browsers allow copying only on https and on localhost. */
function addCopyButton(block) {
  const button = createElement("button", { className: "copy", type: "button" }, "Copy");
  block.replaceWith(createElement("div", { className: "code" }, button));
  button.before(block);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
    status.textContent = "The example was copied.";
    setTimeout(() => {
      button.textContent = "Copy";
      status.textContent = "";
    }, 2000);
  });
}

/** What a screen reader says after a button was used. */
const status = createElement("p", { className: "unseen", role: "status" });

/** Returns a function that searches; the index is loaded when it is first used. */
function createSearch() {
  let loading;
  const load = async () => {
    const [{ findEntries }, response] = await Promise.all([
      import("./search.js"),
      fetch(`${ownPath}/docs/search.json`),
    ]);
    const entries = await response.json();
    return (query) => findEntries(entries, query);
  };
  return async (query) => (await (loading ??= load()))(query);
}

function addSearch() {
  const find = createSearch();
  const input = createElement("input", { type: "search", autocomplete: "off", spellcheck: false });
  const count = createElement("p", { className: "count", role: "status" });
  const results = createElement("ul", {});
  const form = createElement(
    "form",
    { role: "search" },
    createElement("label", {}, "Search", input),
    count,
    results,
  );
  const showResult = ({ kind, title, url }) =>
    createElement(
      "li",
      {},
      createElement("a", { href: ownPath + url }, title, createElement("span", {}, kind)),
    );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    results.querySelector("a")?.click();
  });
  input.addEventListener("input", async () => {
    const query = input.value;
    const found = query.trim() === "" ? [] : await find(query);
    if (query !== input.value) return;
    results.replaceChildren(...found.map(showResult));
    count.textContent = query.trim() === "" ? "" : `${found.length} found`;
  });
  document.querySelector(".brand").after(form);
}

/**
 * Returns the current anchor of a section whose anchor differed in an earlier release, so that old
 * links still work.
 */
function currentAnchor(hash) {
  const [, method, path] = /^#api\/tag\/[^/]+\/([A-Z]+)(\/.*)$/.exec(hash) ?? [];
  if (method === undefined) return hash.replace(/^#api\/description\//, "#");
  const routes = [...document.querySelectorAll("h3 + p > code")];
  const route = routes.find(({ textContent }) => textContent === `${method} ${path}`);
  return `#${route?.parentElement.previousElementSibling.id ?? ""}`;
}

function followAnchor() {
  const hash = decodeURIComponent(location.hash);
  const current = currentAnchor(hash);
  if (current !== hash) location.replace(current);
}

addEventListener("hashchange", followAnchor);
followAnchor();

showExamples();
examples.forEach(addSendForm);
if (navigator.clipboard) document.querySelectorAll("main pre").forEach(addCopyButton);
document.body.append(status);
// "toggle" events do not bubble, so the listener captures them.
document.addEventListener("toggle", followLanguage, { capture: true });
addSearch();
// On wide screens, the contents are shown even if the element is closed, but the style sheet can do
// so only if the browser supports `::details-content`. The script opens the element on wide screens
// in all other browsers.
if (!CSS.supports("selector(::details-content)") && innerWidth > 960)
  document.querySelector(".contents").open = true;
if (examples.length > 0)
  document
    .querySelector("h1")
    .after(
      createForm(
        "API key: fills your key and business into the examples. It is sent to this server only.",
        { type: "password", autocomplete: "off", placeholder: "deskbell_rk_…" },
        "Use key",
        useKey,
      ),
    );
