"""The look of the HTML report: light, dark, on paper, on a phone."""


def page_style() -> str:
    """Return the style sheet; the page's policy allows it by its digest."""
    return """
:root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--soft:#545b64;--line:#d0d5db;
--card:#f5f6f8;--alarm:#a40e26;--alarmink:#fff;--warn:#7a4b00;--good:#0b6b34;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--page:#12161b;--ink:#e8ebef;--soft:#a9b2bd;--line:#39424d;
--card:#1c2229;--alarm:#ff8a94;--alarmink:#2a0005;--warn:#f2b661;--good:#6fd08f;--link:#80b8ff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:76rem;background:var(--page);color:var(--ink);
font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--link)}
h1{font-size:clamp(1.35rem,4.2vw,2.1rem);line-height:1.2;margin:.5rem 0}
h2{font-size:1.15rem;margin:1.6rem 0 .5rem}
h3{font-size:1rem;margin:1rem 0 .3rem}
p,ol,ul{margin:.4rem 0}
li{margin:.25rem 0}
.label{display:inline-block;margin:0;padding:.2rem .7rem;border-radius:.3rem;font-weight:700;
background:var(--alarm);color:var(--alarmink)}
.caution .label{background:var(--warn);color:var(--page)}
.verdict{border-left:.5rem solid var(--alarm);padding:1rem 1.2rem;background:var(--card)}
.verdict.caution{border-color:var(--warn)}
.place{font-size:1.2rem;font-weight:600}
.soft{color:var(--soft);font-size:.9rem}
.verdict .note{font-weight:600}
.note{border-left:.25rem solid var(--warn);padding-left:.6rem}
.do{border:2px solid var(--good);border-radius:.4rem;padding:.1rem 1rem .6rem;margin-top:1rem}
.do h2{margin-top:.6rem;color:var(--good)}
code,pre,.where{font:.9em/1.45 ui-monospace,monospace}
main>.where{margin-top:2rem}
pre{white-space:pre-wrap;margin:.2rem 0 .6rem;padding:.5rem .7rem;background:var(--card);
border:1px solid var(--line);border-radius:.3rem}
.verdict pre{background:var(--page)}
mark{background:none;color:inherit;font-weight:700;text-decoration:underline;
text-decoration-thickness:.12em}
details{border-bottom:1px solid var(--line)}
summary{cursor:pointer;padding:.6rem 0}
summary h2,summary h3{display:inline;margin:0}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;
vertical-align:top;padding:.3rem .6rem .3rem 0;border-top:1px solid var(--line)}
footer{margin-top:2rem;border-top:1px solid var(--line)}
.time{position:relative}
.time input{position:absolute;opacity:0}
.time label{display:inline-block;padding:.15rem .7rem;margin:0 .3rem .4rem 0;cursor:pointer;
border:1px solid var(--line);border-radius:1rem}
.time input:checked+label{background:var(--ink);color:var(--page)}
.time input:focus-visible+label{outline:3px solid var(--link)}
.plot{display:flex;border:1px solid var(--line)}
.names{flex:0 0 clamp(7.5rem,28%,20rem);margin:0;padding:24px 0 0;list-style:none;
border-right:1px solid var(--line)}
th{white-space:nowrap}
td{min-width:5rem}
.wide{overflow-x:auto}
.names{min-width:0;overflow:hidden}
.names li{height:40px;margin:0;padding:3px .4rem;line-height:17px;overflow:hidden;font-size:.85rem;
white-space:nowrap;text-overflow:ellipsis;border-top:1px solid var(--line)}
.names .host{height:24px;font-weight:700;background:var(--card)}
.names small{display:block;color:var(--soft);overflow:hidden;text-overflow:ellipsis}
.scroll{flex:1 1 0;overflow-x:auto;min-width:0}
.scroll svg.chart{display:block;width:100%;overflow:hidden}
#z4:checked~.plot svg.chart{width:400%}
#z16:checked~.plot svg.chart{width:1600%}
.jump,.t4,.t16{display:none}
#z4:checked~.jump,#z16:checked~.jump{display:inline}
#z4:checked~.plot .t4,#z16:checked~.plot :is(.t4,.t16){display:inline}
svg text{fill:var(--soft);font-size:11px}
.grid{stroke:var(--line)}
.lived{stroke:var(--soft);stroke-width:3}
.quiet{stroke:var(--soft);stroke-dasharray:2 4}
.ended-attempt{stroke:var(--warn);stroke-width:2;stroke-dasharray:6 3}
.first{fill:var(--alarm);stroke:var(--ink)}
.failed{stroke:var(--alarm);stroke-width:3;fill:none}
.doubt{stroke:var(--alarm);stroke-width:9;opacity:.35}
.sign{fill:var(--warn)}
.stopped,.last{fill:var(--soft)}
.ended{fill:none;stroke:var(--good);stroke-width:2}
.key{display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;list-style:none;font-size:.9rem}
.key svg{width:18px;height:18px;vertical-align:-4px;overflow:visible}
@media (max-width:40rem){body{padding:.6rem}.verdict{padding:.7rem .8rem}.place{font-size:1.05rem}}
@media print{:root{--page:#fff;--ink:#000;--soft:#444;--line:#bbb;--card:#fff;--alarm:#a40e26;
--alarmink:#fff;--warn:#7a4b00;--good:#0b6b34;--link:#0550ae}
h1{font-size:16pt}
body{max-width:none;font-size:10pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.time label,.time .jump{display:none!important}.scroll{overflow:visible}
#z4:checked~.plot svg.chart,#z16:checked~.plot svg.chart{width:100%}
details::details-content{content-visibility:visible;display:block;height:auto}
pre,li,tr,.verdict{break-inside:avoid}h2{break-after:avoid}}
"""
