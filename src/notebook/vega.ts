/** Vega and Vega-Lite: specifications that the page draws. */

import { methodOf } from './duck-types.ts';
import { Rich } from './rich.ts';
import type { MimeBundle } from './host.ts';

const SCHEMA = /vega\.github\.io\/schema\/(vega|vega-lite)\/v(\d+)/;
/** The newest versions that JupyterLab 4 draws; newer specifications use these. */
const NEWEST: Readonly<Record<string, number>> = { vega: 5, 'vega-lite': 5 };

/** Returns the bundle of a specification that names its schema; undefined for anything else. */
export function vegaBundle(spec: unknown): MimeBundle | undefined {
  if (typeof spec !== 'object' || spec === null || !('$schema' in spec)) return undefined;
  const match = typeof spec.$schema === 'string' ? SCHEMA.exec(spec.$schema) : null;
  return match === null ? undefined : specBundle(spec, match[1]!, Number(match[2]));
}

function specBundle(spec: object, language: string, version: number): MimeBundle {
  const drawn = Math.min(version, NEWEST[language]!);
  return {
    [`application/vnd.${language.replace('-', '')}.v${drawn}+json`]: spec,
    'text/plain': `[${language === 'vega' ? 'Vega' : 'Vega-Lite'} chart]`
  };
}

/** Makes a chart from a Vega specification, or from a builder with `toSpec()`. Its data must be inside, or at a URL that the page can read. */
export function vega(spec: object): Rich {
  return new Rich(bundleOf(spec, 'vega'));
}

/** Makes a chart from a Vega-Lite specification, or from a builder with `toSpec()` such as those of vega-lite-api. */
export function vegaLite(spec: object): Rich {
  return new Rich(bundleOf(spec, 'vega-lite'));
}

function bundleOf(spec: object, language: string): MimeBundle {
  const given = methodOf(spec, 'toSpec')?.() ?? spec;
  return vegaBundle(given) ?? specBundle(given, language, NEWEST[language]!);
}
