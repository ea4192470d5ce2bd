"""The style of pages: light and dark, from phones to wide screens."""

DARK = """
--ink:#e8e8e6;--faint:#a5a5a0;--card:#ffffff0f;--line:#ffffff30;--none:#3a3a3a"""

# Notebooks tell of their own theme by an attribute or a class; else the system's is taken.
STYLE = f"""
.softwood{{--ink:#222;--faint:#666;--card:#00000008;--line:#00000024;--none:#e6e6e3;
 --minus:#3d8fd1;--plus:#e0701e;
 color:var(--ink);font:14px/1.45 system-ui,sans-serif;max-width:60em;text-align:left}}
@media(prefers-color-scheme:dark){{.softwood{{{DARK}}}}}
[data-jp-theme-light="false"] .softwood,body.vscode-dark .softwood,
[data-theme="dark"] .softwood{{{DARK}}}
[data-jp-theme-light="true"] .softwood,body.vscode-light .softwood,
[data-theme="light"] .softwood{{
 --ink:#222;--faint:#666;--card:#00000008;--line:#00000024;--none:#e6e6e3}}
.softwood p{{margin:.2em 0 .6em}}
.softwood .sw-faint{{color:var(--faint)}}
.softwood .sw-node{{border:1px solid var(--line);border-radius:6px;background:var(--card);
 margin:.35em 0;padding:.35em .6em}}
.softwood .sw-below{{border-left:2px solid var(--line);margin-left:.35em;padding-left:.6em}}
.softwood summary{{cursor:pointer;overflow-wrap:anywhere}}
.softwood .sw-turn{{font-weight:600;color:var(--faint)}}
.softwood svg{{display:block;width:100%;max-width:26em;height:10px;margin:.3em 0}}
.softwood .sw-scroll{{overflow-x:auto}}
.softwood table{{border-collapse:collapse;font-size:13px;margin:.3em 0}}
.softwood td,.softwood th{{padding:.15em .7em .15em 0;text-align:right;
 border-bottom:1px solid var(--line); background:none;vertical-align:top}}
.softwood td:first-child,.softwood th:first-child{{text-align:left;
 overflow-wrap:anywhere;min-width:8em;max-width:22em}}
"""

# A whole page, beside the part of the model.
PAGE = """
:root{color-scheme:light dark}
body{margin:0;background:#fff;color:#222;font-family:system-ui,sans-serif}
@media(prefers-color-scheme:dark){body{background:#181818;color:#e8e8e6}}
main{max-width:60em;margin:0 auto;padding:1em}
h1{font-size:1.5em}h2{font-size:1.15em;margin:1.6em 0 .4em}
main img{max-width:100%;height:auto;display:block;margin:.6em 0}
"""
