// Makes the page interactive: without this script it shows the same. The script fills the reader's
// address, key and business into the examples and sends GET requests. The key is sent to this
// server only and never stored.

const { base } = document.documentElement.dataset;
const ownBase = location.origin + location.pathname.replace(/\/docs(\/.*)?$/, "");
const EXAMPLE_BUSINESS = "salon-aurora";
const EXAMPLE_KEY = /\$KEY\b|deskbell_rk_…/g;

const reader = { key: "", business: EXAMPLE_BUSINESS };

const examples = [...document.querySelectorAll("pre > code.language-sh")].map((element) => ({
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
 * Uses a key in the examples. A request to another business is refused with the name of the key's
 * business.
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
  element.parentElement.after(details);
}

/** Returns the anchor that replaces one of an earlier release. */
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
