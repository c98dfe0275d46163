/**
 * Derives the TypeScript type and the trait of an attribute of the schema.
 *
 * @typedef {{ type: string, trait: string }} Property
 * @typedef {string | number | boolean | null | readonly unknown[]} Value the initial value of an attribute
 *
 * @typedef {object} Kind the schema's description of an attribute, of a list item or of a member of a union
 * @property {string | readonly string[]} type several for a union
 * @property {string} [name]
 * @property {Value | undefined} [default]
 * @property {readonly string[]} [enum]
 * @property {Kind} [items] of a list
 * @property {string} [widget] the class of a reference
 * @property {readonly [Kind, Kind]} [union_attributes]
 *
 * @typedef {Kind & { name: string, allow_none?: boolean, help?: string }} Attribute
 */

const quote = (/** @type {unknown} */ value) => `'${value}'`;

/** @param {Attribute} attribute @returns {Property} */
export function propertyOf(attribute) {
  const kind = kindOf(attribute);
  return attribute.allow_none
    ? {
        type: `${kind.type} | null`,
        trait: `nullable(${kind.trait}${attribute.default === null ? '' : `, ${literal(attribute.default)}`})`
      }
    : kind;
}

/** @param {Kind} kind @returns {Property} */
function kindOf({ name, type, default: initial, enum: options, items, widget, union_attributes: union }) {
  if (union !== undefined) return unionOf(union, initial);
  if (options !== undefined) {
    // Without a default the first value is used; `nullable` is null initially, unless it has a default.
    const start = initial ?? options[0];
    return {
      type: options.map(quote).join(' | '),
      trait: `choice([${options.map(quote).join(', ')}], ${quote(start)})`
    };
  }
  switch (type) {
    case 'int':
      return { type: 'number', trait: `int(${initial ?? 0})` };
    case 'float':
      return { type: 'number', trait: `float(${initial ?? 0})` };
    case 'bool':
      return { type: 'boolean', trait: `bool(${initial ?? false})` };
    case 'string':
      return name === 'readout_format' || name === 'format_specifier'
        ? { type: 'string', trait: `numberFormat(${literal(initial)})` }
        : { type: 'string', trait: `text(${literal(initial ?? '')})` };
    case 'bytes':
      return { type: 'Uint8Array', trait: 'bytes()' };
    case 'Date':
      return { type: 'Date', trait: 'date()' };
    case 'Datetime':
      return { type: 'Date', trait: 'datetime()' };
    case 'Time':
      return { type: 'TimeOfDay', trait: 'time()' };
    case 'reference':
      return { type: /** @type {string} */ (widget), trait: `reference(() => ${widget})` };
    case 'array':
      return listOf(items, initial);
    default:
      throw new Error(`${name} has the unknown type ${type} in the schema: add it to kindOf`);
  }
}

/** @param {Kind | undefined} items @param {Value | undefined} initial @returns {Property} */
function listOf(items, initial) {
  if (items?.type === 'reference')
    return { type: `readonly ${items.widget}[]`, trait: `references(() => ${items.widget})` };
  if (items?.type !== 'string' && items?.type !== 'int')
    throw new Error(`unknown type of list items ${JSON.stringify(items)}: add the property to exceptions`);
  const item = kindOf({ ...items, name: 'item' });
  const start = /** @type {readonly unknown[]} */ (initial).length > 0 ? `, ${JSON.stringify(initial)}` : '';
  return { type: `readonly ${item.type}[]`, trait: `list(${item.trait}${start})` };
}

/** @param {readonly [Kind, Kind]} members @param {Value | undefined} initial @returns {Property} */
function unionOf([first, second], initial) {
  const [one, two] = [
    kindOf({ ...first, default: initial, name: 'union' }),
    kindOf({ ...second, name: 'union' })
  ];
  return { type: `${one.type} | ${two.type}`, trait: `either(${one.trait}, ${two.trait})` };
}

/** Returns a value as a literal; invisible characters become escapes. @param {unknown} value */
function literal(value) {
  return JSON.stringify(value).replace(
    /[\u200b-\u200f]/g,
    character => `\\u${character.charCodeAt(0).toString(16)}`
  );
}
