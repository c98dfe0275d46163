/** Adds the style sheets to the root of a view: the page, or a shadow tree, which the page's sheets do not reach. */

import text from 'stridelab-style';

let sheet: CSSStyleSheet | undefined;

/** Adds the sheet once per document and shadow tree. A constructed sheet needs no style element, which a content security policy may refuse. */
export function adoptStyle(element: HTMLElement): void {
  const root = element.getRootNode();
  // A view may be drawn before its host attaches it to the page.
  const scope = root instanceof ShadowRoot ? root : document;
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
  }
  if (!scope.adoptedStyleSheets.includes(sheet)) scope.adoptedStyleSheets.push(sheet);
}
