/** Makes a row for each rule from jest's report and the documents. */

import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { filesBelow } from '../setup/stamp.mjs';
import { root } from '../setup/paths.mjs';
import { rulesCited, rulesOfTitle } from './numbers.mjs';

/**
 * A rule of `src/base/rules.json`. Tag M: required by a specification, R: recommended by one, X: an addition. A
 * `documented` rule requires a document, not code.
 * @typedef {{ number: number, tag: 'M' | 'R' | 'X', group: string, rule: string, documented?: true }} Rule
 * @typedef {'pass' | 'fail' | 'missing'} Verdict
 * @typedef {{ rule: Rule, tests: string, verdict: Verdict, reason: string }} Row
 * @typedef {{ passed: number, failed: string[], skipped: number, files: Set<string> }} Evidence
 * @typedef {{ ancestorTitles: string[], title: string, fullName: string, status: string }} Assertion
 * @typedef {{ testResults: { name: string, status: string, message: string, assertionResults: Assertion[] }[] }} Report
 */

/** @returns {Rule[]} */
export function readRules() {
  return JSON.parse(readFileSync(join(root, 'src', 'base', 'rules.json'), 'utf8'));
}

/** @param {Rule[]} rules @param {Report} report @returns {Row[]} */
export function rowsOf(rules, report) {
  const evidence = evidenceOf(report);
  const documents = documentsByRule();
  return rules.map(rule => rowOf(rule, evidence.get(rule.number), documents.get(rule.number) ?? []));
}

/** Returns the test files that failed to load; the report lacks their tests. @param {Report} report @returns {string[]} */
export function brokenFiles(report) {
  return report.testResults
    .filter(file => file.status === 'failed' && file.assertionResults.length === 0)
    .map(file => relative(root, file.name));
}

/** @param {Rule} rule @param {Evidence | undefined} found @param {string[]} documents @returns {Row} */
function rowOf(rule, found, documents) {
  if (found !== undefined && found.failed.length > 0)
    return { rule, tests: filesOf(found), verdict: 'fail', reason: listOf(found.failed) };
  if (found !== undefined && found.passed > 0)
    return { rule, tests: filesOf(found), verdict: 'pass', reason: '' };
  if (rule.documented === true && documents.length > 0)
    return { rule, tests: documents.join(', '), verdict: 'pass', reason: 'documented' };
  const reason = found !== undefined ? 'its tests were skipped' : whyMissing(rule);
  return { rule, tests: found === undefined ? '' : filesOf(found), verdict: 'missing', reason };
}

/** @param {readonly string[]} failed titles */
function listOf([first, ...others]) {
  return others.length === 0 ? String(first) : `${first}; and ${others.length} more`;
}

/** @param {Rule} rule */
function whyMissing(rule) {
  return rule.documented === true ? 'no document cites it' : 'no test names it';
}

/** @param {Evidence} found */
function filesOf({ files, passed, failed, skipped }) {
  return `${[...files].sort().join(', ')} (${passed + failed.length + skipped})`;
}

/** @param {Report} report @returns {Map<number, Evidence>} */
function evidenceOf(report) {
  /** @type {Map<number, Evidence>} */
  const found = new Map();
  for (const file of report.testResults)
    for (const test of file.assertionResults) {
      const numbers = new Set([...test.ancestorTitles, test.title].flatMap(rulesOfTitle));
      for (const number of numbers) {
        const entry = found.get(number) ?? { passed: 0, failed: [], skipped: 0, files: new Set() };
        found.set(number, entry);
        entry.files.add(basename(file.name));
        if (test.status === 'passed') entry.passed += 1;
        else if (test.status === 'failed') entry.failed.push(test.fullName);
        else entry.skipped += 1;
      }
    }
  return found;
}

/** Returns the documents that cite each rule by its number, except the table itself. @returns {Map<number, string[]>} */
function documentsByRule() {
  /** @type {Map<number, string[]>} */
  const found = new Map();
  for (const path of filesBelow(join(root, 'docs'), ['.md'])) {
    const name = relative(root, path);
    if (name === join('docs', 'conformance.md')) continue;
    for (const number of rulesCited(readFileSync(path, 'utf8')))
      found.set(number, [...(found.get(number) ?? []), name]);
  }
  return found;
}
