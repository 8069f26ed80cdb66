/** Code that a page runs if it writes text as HTML, a URL, an attribute or a template. */
const SCRIPTS = [
  "<script>pwned=1</script>",
  "<img src=x onerror=pwned=1>",
  "<svg onload=pwned=1>",
  "<svg><script>pwned=1</script></svg>",
  "<iframe srcdoc='<script>parent.pwned=1</script>'>",
  "<body onload=pwned=1>",
  "<details open ontoggle=pwned=1>",
  "<input autofocus onfocus=pwned=1>",
  "<video><source onerror=pwned=1></video>",
  "<math><mtext><style><img src onerror=pwned=1></style></mtext></math>",
  "<a href=javascript:pwned=1>x</a>",
  "<form action=javascript:pwned=1><button>x</button></form>",
  "<object data=javascript:pwned=1>",
  "<meta http-equiv=refresh content='0;url=javascript:pwned=1'>",
  "<base href=//evil.example/>",
  "<link rel=stylesheet href=//evil.example/x.css>",
  "<style>*{display:none}</style>",
  "<template><script>pwned=1</script></template>",
  "<noscript><p title='</noscript><img src=x onerror=pwned=1>'>",
  "<xmp><p title='</xmp><img src=x onerror=pwned=1>'>",
] as const;

/**
 * Prefixes that close the place in which a page writes a text, such as an attribute, an element or
 * a script.
 */
const ENDINGS = ["", '"></bdi></code></pre></textarea></title>', "'}]-->]]>"] as const;

/** 60 texts that a page must show as they are. */
export const HTML_TEXTS: readonly string[] = ENDINGS.flatMap((ending) =>
  SCRIPTS.map((script) => ending + script),
);
