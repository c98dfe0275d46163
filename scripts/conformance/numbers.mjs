/** Reads rule numbers as titles and documents cite them: `rule 19:`, `rules 17, 19, 21 to 24:`; others (`S14`) are ignored. */

const TITLE = /^rules? ((?:S?\d+(?: to \d+)?(?:, | and )?)+):/;
const CITATION = /\brules? ((?:S?\d+(?: to \d+)?(?:, | and )?)+)/gi;

/** @param {string} title of a test or of a block around it @returns {number[]} */
export function rulesOfTitle(title) {
  const list = TITLE.exec(title)?.[1];
  return list === undefined ? [] : expand(list);
}

/** @param {string} text of a document @returns {Set<number>} */
export function rulesCited(text) {
  return new Set([...text.matchAll(CITATION)].flatMap(match => expand(match[1] ?? '')));
}

/** @param {string} list @returns {number[]} */
function expand(list) {
  return list.split(/, | and /).flatMap(part => {
    const range = /^(\d+)(?: to (\d+))?$/.exec(part);
    if (range === null) return [];
    const first = Number(range[1]);
    const last = Number(range[2] ?? range[1]);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  });
}
