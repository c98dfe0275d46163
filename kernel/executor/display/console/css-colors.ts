/** Converts the CSS of `%c` in console messages to terminal colours. */

import { inspect, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Common CSS colours that terminals have no number for. */
const OTHER: Readonly<Record<string, string>> = {
  orange: '#ffa500',
  purple: '#800080',
  pink: '#ffc0cb',
  brown: '#a52a2a',
  lime: '#00ff00',
  navy: '#000080',
  teal: '#008080',
  olive: '#808000',
  maroon: '#800000',
  silver: '#c0c0c0',
  gold: '#ffd700',
  indigo: '#4b0082',
  violet: '#ee82ee',
  crimson: '#dc143c',
  salmon: '#fa8072',
  tomato: '#ff6347',
  turquoise: '#40e0d0',
  orchid: '#da70d6',
  fuchsia: '#ff00ff',
  aqua: '#00ffff',
  darkgreen: '#006400',
  darkblue: '#00008b',
  darkred: '#8b0000',
  lightblue: '#add8e6',
  lightgreen: '#90ee90',
  skyblue: '#87ceeb',
  steelblue: '#4682b4',
  royalblue: '#4169e1',
  rebeccapurple: '#663399',
  dodgerblue: '#1e90ff',
  hotpink: '#ff69b4',
  coral: '#ff7f50'
};
const RESET = '\x1b[0m';

/** Returns the arguments of `console.log` with each `%c` and its CSS merged into the text. */
export function withCssColors(values: unknown[]): unknown[] {
  const [format, ...rest] = values;
  if (typeof format !== 'string' || !format.includes('%c')) return values;
  let next = 0;
  let styled = false;
  const kept: unknown[] = [];
  const text = format.replace(/%[sdifjoOc%]/g, specifier => {
    if (specifier === '%%') return specifier;
    if (next >= rest.length) return specifier;
    const value = rest[next];
    next += 1;
    if (specifier !== '%c') {
      kept.push(value);
      return specifier;
    }
    const style = ansiOf(String(value));
    const before = styled ? RESET : '';
    styled = style !== '';
    return before + style;
  });
  return [styled ? text + RESET : text, ...kept, ...rest.slice(next)];
}

function ansiOf(css: string): string {
  const declarations = css.toLowerCase().matchAll(/([\w-]+)\s*:([^;]*)/g);
  return [...declarations].map(([, property, value]) => codeOf(property!, value!.trim())).join('');
}

function codeOf(property: string, value: string): string {
  switch (property) {
    case 'color':
      return colorCode(value, false);
    case 'background':
    case 'background-color':
      return colorCode(value, true);
    case 'font-weight':
      return value === 'bold' || value === 'bolder' || Number(value) >= 600 ? opening('bold') : '';
    case 'font-style':
      return value === 'italic' || value === 'oblique' ? opening('italic') : '';
    case 'text-decoration':
    case 'text-decoration-line':
      return (
        (value.includes('underline') ? opening('underline') : '') +
        (value.includes('line-through') ? opening('strikethrough') : '')
      );
    default:
      return '';
  }
}

function colorCode(value: string, background: boolean): string {
  const ground = `bg${value.charAt(0).toUpperCase()}${value.slice(1)}`;
  // Only colours can be a background.
  if (Object.hasOwn(inspect.colors, ground)) return opening((background ? ground : value) as Style);
  const channels = rgbOf(OTHER[value] ?? value);
  return channels === undefined ? '' : `\x1b[${background ? 48 : 38};2;${channels.join(';')}m`;
}

function rgbOf(value: string): readonly number[] | undefined {
  const hex = /^#([\da-f]{3}|[\da-f]{6})$/.exec(value)?.[1];
  if (hex !== undefined) {
    const six = hex.length === 3 ? [...hex].map(digit => digit + digit).join('') : hex;
    return [0, 2, 4].map(start => parseInt(six.slice(start, start + 2), 16));
  }
  const parts = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/.exec(value);
  return parts === null ? undefined : parts.slice(1).map(part => Math.min(255, Number(part)));
}

/** Returns the escape sequence that begins a style. */
function opening(style: Style): string {
  return styleText(style, '\0', { validateStream: false }).split('\0')[0]!;
}
