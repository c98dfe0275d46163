/** Brings the style sheets to where a view stands: a page, or a shadow tree that the page's own sheets do not reach. */

import text from 'stridelab-style';

let sheet: CSSStyleSheet | undefined;

/** Once for each document and shadow tree. A constructed sheet needs no style element, which a content security policy may refuse. */
export function adoptStyle(element: HTMLElement): void {
  const root = element.getRootNode();
  // A view may be drawn before its host puts it on the page.
  const scope = root instanceof ShadowRoot ? root : document;
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
  }
  if (!scope.adoptedStyleSheets.includes(sheet)) scope.adoptedStyleSheets.push(sheet);
}
