"""300 texts that would be markup, script, requests or invisible where a page does not show them as text."""

import json

# What each would do: set `pwned`, make an element `pwn`, or send a request.
PAYLOADS = [
    "<img src=x onerror=window.pwned=1>", "<script>window.pwned=1</script>", "<svg onload=window.pwned=1>",
    '<b id="pwn" onclick="window.pwned=1">b</b>', "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
    "<a href='javascript:window.pwned=1'>a</a>", "javascript:window.pwned=1", "[a](javascript:window.pwned=1)",
    "![a](https://pwn.example/x.png)", "<style>@import url(https://pwn.example/x.css);*{display:none}</style>",
    "<link rel=stylesheet href=https://pwn.example/x.css>", "<base href=https://pwn.example/>",
    "<meta http-equiv=refresh content='0;url=https://pwn.example/'>", "<form action=https://pwn.example/><button>b</button>",
    "<object data=https://pwn.example/x></object>", "<template shadowrootmode=open><b id=pwn></b></template>",
    "<details open ontoggle=window.pwned=1>", "<input autofocus onfocus=window.pwned=1>",
    "${window.pwned=1}{{constructor.constructor('window.pwned=1')()}}", "<!--?lit$1$--><?pwn?><math><mtext></mtext></math>",
]
# What they are wrapped in: ends of attributes, comments, code and scripts, encodings, and characters that nobody sees.
WRAPPERS = [
    "{}", '"{}', "'{}", '">{}<x y="', "'>{}<x y='", "--> {} <!--", "</code></pre>{}<pre>", "</script>{}<script>", "`{}`",
    "]]>{}", "\u202e{}\u202c", "\u2066{}\u2069\u200b", "\ufeff{}\u00ad", "\x07{}\x1b[31m\x9b", "{}\u2028\u2029\n\u3164",
]
TEXTS = [wrapper.replace("{}", payload) for wrapper in WRAPPERS for payload in PAYLOADS]
# A person sees none of these: they must be shown as code points.
INVISIBLE = "\u202e\u202c\u2066\u2069\u200b\ufeff\u00ad\x07\x1b\x9b\u2028\u2029\u3164"
assert len(set(TEXTS)) == 300

# Adds the texts to what the service answers: all of them to each of the first strings, and one to each further one. IDs,
# times and the words that the pages decide by stay as they are.
KEPT = ["id", "at", "cursor", "seq", "status", "role", "roles", "role_now", "kind", "level", "type", "format", "permission",
        "permissions", "enum", "code", "decision", "outcome", "surface", "via", "caller_type", "caller_types", "way", "ways",
        "state", "approval_mode", "strategy", "required", "permission_level", "default", "pattern", "granted_by", "executor",
        "confirmation", "packs"]
ANSWERS = """(() => {
  const [texts, real] = [%s, fetch], all = texts.join(" ");
  const kept = new RegExp("(^|_)(%s)$"), opaque = /^[0-9a-f]{8}-[0-9a-f-]{27}$|^\\d{4}-\\d\\d-\\d\\dT|^[0-9a-f]{64}$/;
  globalThis.fields = 0;
  const hostile = (value, key) => {
    if (typeof value === "string") {
      if (kept.test(key) || opaque.test(value)) return value;
      fields += 1;
      return `${value} ${fields %% 400 < 60 ? all : texts[fields %% texts.length]}`;
    }
    if (Array.isArray(value)) return value.map((one) => hostile(one, key));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hostile(one, name)]));
  };
  globalThis.fetch = async (path, init) => {
    const answer = await real(path, init);
    if (!answer.headers.get("Content-Type")?.includes("json")) return answer;
    const { status, headers } = answer;
    return new Response(JSON.stringify(hostile(await answer.json(), "")), { status, headers });
  };
})()""" % (json.dumps(TEXTS), "|".join(KEPT))
