import { parseSync } from 'oxc-parser';

/** Calls without effects whose result holds no state. */
const PURE_CALLS = new Set(['Object.entries', 'Object.freeze', 'Object.keys', 'String.raw', 'Symbol.for']);
/** Objects that are constants if they are made from values; an empty one is filled later. */
const COLLECTIONS = new Set(['Map', 'Set']);

/** Flags of regular expressions that keep the place of the last match. */
const KEEPS_PLACE = /[gy]/;

/**
 * Returns whether two copies of a module could be told apart: it has variables, classes, which `instanceof` compares, or objects that
 * may change. If in doubt, it has state.
 * @param {string} file
 * @param {string} code
 */
export function hasState(file, code) {
  const { program } = parseSync(file, code);
  return !program.body.every(statement => isConstant(statement, code));
}

/** @param {any} node of an ESTree @param {string} code @returns {boolean} */
function isConstant(node, code) {
  const all = (/** @type {any[]} */ nodes) => nodes.every(part => isConstant(part, code));
  switch (node?.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'Identifier':
      return true;
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return node.declaration === null || isConstant(node.declaration, code);
    case 'VariableDeclaration':
      return node.kind === 'const' && all(node.declarations.map((/** @type {any} */ { init }) => init));
    case 'Literal':
      return !KEEPS_PLACE.test(node.regex?.flags ?? '');
    case 'TemplateLiteral':
      return all(node.expressions);
    case 'MemberExpression':
      return isConstant(node.object, code);
    case 'UnaryExpression':
    case 'SpreadElement':
      return isConstant(node.argument, code);
    case 'BinaryExpression':
    case 'LogicalExpression':
      return all([node.left, node.right]);
    case 'ConditionalExpression':
      return all([node.test, node.consequent, node.alternate]);
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
      return isConstant(node.expression, code);
    case 'ArrayExpression':
      return node.elements.length > 0 && all(node.elements);
    case 'ObjectExpression':
      return node.properties.length > 0 && all(node.properties);
    case 'Property':
      return isConstant(node.value, code);
    case 'NewExpression':
      if (node.callee.name === 'RegExp') return keepsNoPlace(node.arguments[1]) && all(node.arguments);
      return COLLECTIONS.has(node.callee.name) && node.arguments.length > 0 && all(node.arguments);
    case 'CallExpression':
      return PURE_CALLS.has(code.slice(node.callee.start, node.callee.end)) && all(node.arguments);
    case 'TaggedTemplateExpression':
      return PURE_CALLS.has(code.slice(node.tag.start, node.tag.end)) && all(node.quasi.expressions);
    default:
      return false;
  }
}

/** Returns whether a regular expression made with these flags keeps no place. @param {any} flags node of the argument, if there is one */
function keepsNoPlace(flags) {
  return flags === undefined || (typeof flags.value === 'string' && !KEEPS_PLACE.test(flags.value));
}
