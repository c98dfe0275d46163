/**
 * The part of a gettext bundle that the views use. JupyterLab's `TranslationBundle` has this shape, so views take one
 * without importing JupyterLab. `%1`, `%2`… in the text stand for the values.
 */
export interface Phrases {
  __(text: string, ...values: (string | number)[]): string;
}

/** Domain of this extension's translations. */
export const TRANSLATION_DOMAIN = 'stridelab';

/** The untranslated texts, for pages without a translator. */
export const englishPhrases: Phrases = {
  __: (text, ...values) =>
    text.replace(/%(\d+)/g, (placeholder, number) => String(values[Number(number) - 1] ?? placeholder))
};
