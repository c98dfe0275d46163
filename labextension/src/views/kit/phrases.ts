/** The texts of the page in its language. JupyterLab's tools find what is to be translated by the name `__`. */

/** The part of a gettext bundle that the page uses. `%1`, `%2`… in a text stand for the values. */
interface Phrases {
  __(text: string, ...values: (string | number)[]): string;
}

/** Domain of this extension's translations. */
const DOMAIN = 'stridelab';

const english: Phrases = {
  __: (text, ...values) =>
    text.replace(/%(\d+)/g, (placeholder, number) => String(values[Number(number) - 1] ?? placeholder))
};

let inUse = english;

/** Sets the language of the page, from JupyterLab's translator; pages without one are in English. */
export function useTranslator(translator: { load(domain: string): Phrases } | null | undefined): void {
  inUse = translator?.load(DOMAIN) ?? english;
}

/** A text in the language of the page. `%1`, `%2`… in it stand for the values. */
export function __(text: string, ...values: (string | number)[]): string {
  return inUse.__(text, ...values);
}
