/** Which magics there are, and advice for others: a similar name, or what replaces a magic of another kernel. */

import { distance } from 'fastest-levenshtein';
import { MAGIC_NAMES, type Magic, type MagicName } from '../../protocol/magics.ts';
import { MagicError } from './magic.ts';

/** Maximum edit distance of a suggested spelling. */
const NEAR = 2;

const IN_PAGE = "display(javascript('…')), from stridelab/notebook, runs code in the page";
const PIP = '!pip install … installs packages for %%python cells';

const INSTEAD: Readonly<Record<string, string>> = {
  '%%javascript': IN_PAGE,
  '%%js': IN_PAGE,
  '%%capture': 'capture(…), from stridelab/notebook, returns what code prints and shows',
  '%%timeit': '%%time reports how long a cell took',
  '%timeit': '%time reports how long a cell took',
  '%pip': PIP,
  '%conda': PIP,
  '%matplotlib': '%%python cells show figures without it',
  '%autoreload': 'cells that import a file that has changed reload it',
  '%run': '!stridelab run NOTEBOOK runs a notebook'
};

export function isMagicName(name: string): name is MagicName {
  return MAGIC_NAMES.some(known => known === name);
}

/** Returns the name as it is typed. @throws MagicError if there is no such magic */
export function magicName({ kind, name }: Pick<Magic, 'kind' | 'name'>): MagicName {
  return knownName(kind === 'command' ? '!' : `${kind === 'cell' ? '%%' : '%'}${name}`);
}

/** Returns the name. @throws MagicError if there is no such magic */
export function knownName(name: string): MagicName {
  if (isMagicName(name)) return name;
  if (Object.hasOwn(INSTEAD, name)) throw new MagicError(`unknown magic ${name}: ${INSTEAD[name]}`);
  const word = name.replace(/^%+/, '').toLowerCase();
  const near = MAGIC_NAMES.map(known => ({ known, far: distance(name.toLowerCase(), known) }))
    .filter(({ known, far }) => word !== '' && known !== '!' && (far <= NEAR || known.includes(word)))
    .sort((a, b) => a.far - b.far)
    .map(({ known }) => known);
  const advice = near.length > 0 ? `did you mean ${near.join(' or ')}?` : '%lsmagic lists all magics';
  throw new MagicError(`unknown magic ${name}: ${advice}`);
}
