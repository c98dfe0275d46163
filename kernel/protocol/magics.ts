/** Lines of a cell for the kernel: `%name …`, `%%name …` and `!command`. They precede its TypeScript, where `%` is never valid. */

export interface Magic {
  /** `line`: `%name argument`; `cell`: `%%name argument`, which takes the rest of the cell; `command`: `!argument`. */
  readonly kind: 'line' | 'cell' | 'command';
  /** Name without per cent signs; empty for a command. */
  readonly name: string;
  readonly argument: string;
  /** Text below a cell magic that is not TypeScript; empty for the others. */
  readonly body: string;
  /** Offset in the cell, in UTF-16 units from 0. */
  readonly start: number;
}

export interface CellText {
  /** The cell with everything but TypeScript blanked: length and lines are unchanged. */
  readonly code: string;
  /** The magics, in execution order. */
  readonly magics: readonly Magic[];
}

/** Names of the magics, as they are typed. */
export const MAGIC_NAMES = [
  '!',
  '%%bash',
  '%%html',
  '%%latex',
  '%%markdown',
  '%%python',
  '%%sh',
  '%%svg',
  '%%time',
  '%%writefile',
  '%cd',
  '%env',
  '%help',
  '%imports',
  '%lsmagic',
  '%npm',
  '%pwd',
  '%python',
  '%reset',
  '%time',
  '%types',
  '%who'
] as const;

export type MagicName = (typeof MAGIC_NAMES)[number];

/** Effects of type errors that `%types` sets. */
const TYPES_MODES = ['strict', 'warn', 'off'] as const;
export type TypesMode = (typeof TYPES_MODES)[number];

export function isTypesMode(mode: unknown): mode is TypesMode {
  return TYPES_MODES.some(known => known === mode);
}

/** Magics that are followed by TypeScript, even on their line. */
const BEFORE_CODE = new Set(['time']);

/** A line without code: blank, comment or `#!`. */
const QUIET_LINE = /^\s*(?:\/\/.*|\/\*(?:(?!\*\/).)*\*\/\s*|#!.*)?\r?$/;
const MAGIC_LINE = /^(\s*)(%%?)([^\s%]*)([^\S\n]*)([^\n]*)$/;
const COMMAND_LINE = /^(\s*)!(?=[\p{L}\d_./~$])([^]+)$/u;
/** Keywords and literals after which `!` belongs to TypeScript. */
const OPERATOR =
  /^(?:function|new|this|true|false|null|undefined|typeof|void|await|async|super|import\s*[.(])\b/;
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u;

/** Finds the magics of a cell. `isName` returns whether a word is a variable: `!ready` is then an expression. */
export function parseMagics(source: string, isName: (word: string) => boolean = () => false): CellText {
  // A quick check, since most cells have none.
  if (!/^(?:\s|\/[/*].*|#!.*)*[%!]/.test(source)) return { code: source, magics: [] };
  const magics: Magic[] = [];
  let code = '';
  let offset = 0;
  while (offset < source.length) {
    const line = logicalLine(source, offset);
    const magic = readMagic(line, offset, isName);
    if (magic === undefined) {
      if (!QUIET_LINE.test(line)) break;
      code += line;
    } else if (BEFORE_CODE.has(magic.name) || magic.kind === 'cell') {
      return { code: code + lastMagic(source, magic, line, offset, magics), magics };
    } else {
      magics.push(magic);
      code += blank(line);
    }
    offset += line.length;
    if (source[offset] === '\n') {
      code += '\n';
      offset += 1;
    }
  }
  return { code: code + source.slice(offset), magics };
}

/** Returns the mode that `%types` sets in this cell; undefined if it sets none. */
export function typesMode({ magics }: CellText): TypesMode | undefined {
  const modes = magics.filter(({ name }) => name === 'types').map(({ argument }) => argument);
  return modes.findLast(isTypesMode);
}

/** Records the last possible magic, and returns the rest of the code. */
function lastMagic(source: string, magic: Magic, line: string, offset: number, magics: Magic[]): string {
  const below = source.slice(offset + line.length);
  if (!BEFORE_CODE.has(magic.name)) {
    magics.push({ ...magic, body: below.replace(/^\n/, '') });
    return blank(line) + blank(below);
  }
  magics.push({ ...magic, argument: '' });
  const codeStart = line.length - magic.argument.length;
  return blank(line.slice(0, codeStart)) + line.slice(codeStart) + below;
}

function readMagic(line: string, offset: number, isName: (word: string) => boolean): Magic | undefined {
  const magic = MAGIC_LINE.exec(line);
  if (magic !== null) {
    const [, indent, signs, name, , argument] = magic as unknown as string[];
    const kind = signs === '%%' ? 'cell' : 'line';
    return { kind, name: name!, argument: argument!.trimEnd(), body: '', start: offset + indent!.length };
  }
  const command = COMMAND_LINE.exec(line);
  if (command === null) return undefined;
  const [, indent, argument] = command as unknown as string[];
  const word = NAME.exec(argument!)?.[0];
  if (OPERATOR.test(argument!) || (word !== undefined && isName(word))) return undefined;
  return {
    kind: 'command',
    name: '',
    argument: argument!.replace(/\\\r?\n/g, ' ').trimEnd(),
    body: '',
    start: offset + indent!.length
  };
}

/** Returns the line at `offset` without its end; a command continues after a backslash. */
function logicalLine(source: string, offset: number): string {
  const isCommand = /^\s*!/.test(source.slice(offset, source.indexOf('!', offset) + 1));
  let end = source.indexOf('\n', offset);
  while (isCommand && end > 0 && /\\\r?$/.test(source.slice(offset, end)))
    end = source.indexOf('\n', end + 1);
  return source.slice(offset, end < 0 ? source.length : end);
}

function blank(text: string): string {
  return text.replace(/[^\n\r]/g, ' ');
}
