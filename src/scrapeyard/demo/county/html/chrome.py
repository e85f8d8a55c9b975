"""The nine tenths of a county page that nobody scrapes: style, menus, notices, scripts, footers.

They are here because a page without them flatters every parser and every block detector.
"""

from html import escape

MENUS = {
    "Residents": ("Pay Taxes", "Vehicle Tags", "Voter Registration", "Birth Records", "Hunting & Fishing", "Recycling",
                  "Road Closures", "Report a Pothole", "Burn Permits", "Animal Shelter", "Library Cards"),
    "Property": ("Real Property Search", "Personal Property", "Exemptions", "Appeals", "Sales Reports", "Tax Sale List",
                 "Plat Books", "Map Gallery", "Forms & Applications", "Assessment Calendar", "Data Requests"),
    "Business": ("Bids & Proposals", "Business Licences", "Building Permits", "Zoning Board", "Liquor Licences",
                 "Hotel Tax", "Contractor Registry", "Opportunity Zones", "Vendor Portal"),
    "Government": ("Commissioners", "Clerk of Court", "Sheriff", "Treasurer", "Assessor", "Recorder", "Coroner",
                   "Health District", "Public Works", "Meeting Agendas", "Budget", "Ordinances", "Jobs"),
}  # fmt: skip
NOTICES = (
    (
        "Second half instalments are due by September 30. Payments bearing a later postmark accrue interest of one "
        "and one half percent for each month or part of a month."
    ),
    (
        "Homestead applications for the coming roll are accepted from January 2 to the first Monday in March. Bring "
        "proof of residence and the number of your parcel as printed on the notice of value."
    ),
    (
        "Card payments carry a fee of 2.35 percent which goes to the card processor and not to the county. Electronic "
        "cheques are free of charge."
    ),
    (
        "Values shown are those of the certified roll. Preliminary values are published on the first of May and may "
        "change until the Board of Review adjourns."
    ),
)
STYLE = """
body{margin:0;font:14px/1.45 "Segoe UI",Tahoma,Arial,sans-serif;color:#222;background:#f3f2ec}
a{color:#1d4f76}a:hover{color:#0b2c46}
#banner{background:#23425a;color:#fff;padding:14px 24px}#banner h1{font:600 22px Georgia,serif;margin:0}
#banner .motto{font-style:italic;opacity:.8}ul.menu{list-style:none;margin:0;padding:0;background:#31607f}
ul.menu>li{display:inline-block;position:relative}ul.menu>li>a{display:block;padding:9px 16px;color:#fff}
ul.menu ul{display:none;position:absolute;background:#fff;border:1px solid #cbd3d9;min-width:210px;z-index:9}
ul.menu li:hover ul{display:block}ul.menu ul a{display:block;padding:6px 12px}
#page{display:flex;gap:24px;max-width:1180px;margin:18px auto}#content{flex:1;background:#fff;padding:18px 24px}
#side{width:250px;font-size:13px}#side .notice{background:#fffbe8;border-left:4px solid #d6a72a;padding:9px 12px}
table.data{border-collapse:collapse;width:100%;margin:6px 0 18px}table.data caption{text-align:left;font-weight:600}
table.data th,table.data td{border:1px solid #d5d9dc;padding:5px 9px;text-align:left}table.data td.num{text-align:right}
table.data tr.alt{background:#f6f8f9}th.label{width:190px;background:#eef2f5}.message{padding:12px;background:#fdf3f2}
dl.facts{display:grid;grid-template-columns:200px 1fr}dl.facts dt{font-weight:600}fieldset{border:1px solid #cbd3d9}
#foot{background:#23425a;color:#cfdae2;font-size:12px;padding:18px 24px}#foot a{color:#fff}
@media print{#banner,ul.menu,#side,#foot{display:none}#content{padding:0}}
"""
SCRIPT = """
var theForm = document.forms[0];
function __doPostBack(eventTarget, eventArgument) {
    theForm = document.forms['aspnetForm'] || document.forms[0];
    if (!theForm.onsubmit || theForm.onsubmit() !== false) {
        theForm.__EVENTTARGET.value = eventTarget;
        theForm.__EVENTARGUMENT.value = eventArgument;
        theForm.submit();
    }
}
(function (w, d) {
    var county = w.county = w.county || {};
    county.settings = {idleMinutes: 20, warnMinutes: 18, printStyle: 'screen', mapZoom: 16, fiscalYear: 2025,
        layers: ['parcels', 'roads', 'flood', 'zoning', 'schools', 'precincts'], locale: 'en-US'};
    county.remember = function (key, value) {
        try { w.sessionStorage.setItem('county.' + key, value); } catch (ignored) { county.memory = {}; }
    };
    county.warn = function () {
        var box = d.getElementById('idleWarning');
        if (box) { box.style.display = 'block'; }
    };
    county.openBill = function (address) {
        w.open(address, 'bill', 'width=860,height=1020,scrollbars=yes,resizable=yes');
        return false;
    };
    county.mark = function (row, on) { row.className = row.className.replace(/ ?over/, '') + (on ? ' over' : ''); };
    d.onkeyup = function (event) {
        if ((event || w.event).keyCode === 27) { county.remember('closed', new Date().getTime()); }
    };
    w.setTimeout(county.warn, county.settings.warnMinutes * 60000);
}(window, document));
"""


def _menus(prefix: str) -> str:
    out = ['<ul class="menu" role="navigation">']
    for title, entries in MENUS.items():
        links = "".join(
            f'<li><a href="{prefix}/go?p={title.lower()}/{number:02d}">{escape(entry)}</a></li>\n'
            for number, entry in enumerate(entries, 1)
        )
        out.append(f'<li><a href="#{title.lower()}">{title}</a><ul class="drop">\n{links}</ul></li>')
    return "\n".join([*out, "</ul>"])


def _directory() -> str:
    rows = "\n".join(
        f'<tr><td class="dept">{escape(entry)}</td><td class="tel">(555) 010-{1100 + number * 7}</td>'
        f'<td class="room">Courthouse, Room {100 + number * 3}</td></tr>'
        for number, entry in enumerate((*MENUS["Government"], *MENUS["Business"], *MENUS["Residents"]), 1)
    )
    return f'<table id="directory" summary="Telephone numbers of the offices">\n{rows}\n</table>'


def _foot(name: str, prefix: str) -> str:
    links = " | ".join(
        f'<a href="{prefix}/go?p={page.lower().replace(" ", "-")}">{page}</a>'
        for page in ("Accessibility", "Privacy Notice", "Public Records", "Site Map", "Contact Us", "Staff Login")
    )
    return f"""<div id="foot">{_directory()}
<p>{name} makes every effort to produce the most accurate information possible. No
warranties, expressed or implied, are provided for the data herein, its use or interpretation. Office hours are Monday
to Friday, 8:00 to 4:30, except on holidays kept by the county. This county does not exist.</p><p>{links}</p>
<p>Courthouse Square 1, Briarton IA 50211 &middot; (555) 010-0147 &middot; TDD (555) 010-0148</p></div>"""


def page(name: str, prefix: str, title: str, content: str) -> str:
    """A whole page of this portal around its content; holes for a template may be anywhere in it."""
    notices = "\n".join(f'<div class="notice"><p>{notice}</p></div>' for notice in NOTICES)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - {name}</title>
<style type="text/css">{STYLE}</style>
<script type="text/javascript">//<![CDATA[{SCRIPT}//]]></script>
</head>
<body>
<div id="banner"><h1>{name}</h1><div class="motto">Serving the people of seven townships since 1857</div></div>
{_menus(prefix)}
<div id="page"><div id="content">
<div class="crumbs"><a href="{prefix}/">Home</a> &raquo; <a href="{prefix}/">Property</a> &raquo; {title}</div>
<h2>{title}</h2>
{content}
</div><div id="side"><h3>Notices</h3>
{notices}
<div id="idleWarning" style="display:none">You will be signed out shortly.</div></div></div>
{_foot(name, prefix)}
</body>
</html>
"""
