/** Which generated file contains which models, and details of some properties that the schema lacks. */

/**
 * Class names that differ from the model's name, by that name without `Model`.
 * @type {Readonly<Record<string, string>>}
 */
export const classNames = {
  Time: 'TimePicker',
  Datetime: 'DatetimePicker',
  NaiveDatetime: 'NaiveDatetimePicker'
};

export const families = {
  'dom-widget': [],
  layout: ['Layout'],
  styles: [
    'DescriptionStyle',
    'ButtonStyle',
    'CheckboxStyle',
    'HTMLStyle',
    'HTMLMathStyle',
    'LabelStyle',
    'ProgressStyle',
    'SliderStyle',
    'TextStyle',
    'ToggleButtonStyle',
    'ToggleButtonsStyle'
  ],
  numbers: [
    'IntText',
    'BoundedIntText',
    'IntSlider',
    'IntRangeSlider',
    'IntProgress',
    'FloatText',
    'BoundedFloatText',
    'FloatSlider',
    'FloatLogSlider',
    'FloatRangeSlider',
    'FloatProgress',
    'Play'
  ],
  text: ['Text', 'Textarea', 'Password', 'Combobox', 'Label', 'HTML', 'HTMLMath'],
  toggles: ['Button', 'Checkbox', 'ToggleButton', 'Valid'],
  selection: [
    'Dropdown',
    'RadioButtons',
    'Select',
    'SelectionSlider',
    'ToggleButtons',
    'SelectMultiple',
    'SelectionRangeSlider'
  ],
  boxes: ['Box', 'HBox', 'VBox', 'GridBox', 'Accordion', 'Tab', 'Stack'],
  pickers: ['ColorPicker', 'DatePicker', 'Time', 'Datetime', 'NaiveDatetime'],
  tags: ['TagsInput', 'ColorsInput', 'IntsInput', 'FloatsInput'],
  media: ['Image', 'Video', 'Audio', 'FileUpload'],
  'controller-parts': ['ControllerButton', 'ControllerAxis'],
  controller: ['Controller'],
  links: ['Link', 'DirectionalLink'],
  output: ['Output']
};

const readOnly = (/** @type {string} */ expression) => `withOptions(${expression}, { readOnly: true })`;
const colour = { type: 'string | null', trait: 'nullable(color("black"))' };
const end = { type: 'readonly [Widget, string]', trait: 'linkEnd()' };

/**
 * Types and traits that are more precise than the schema, by model and property.
 * @type {Readonly<Record<string, Readonly<Record<string, import('./properties.mjs').Property>>>>}
 */
export const exceptions = {
  IntRangeSlider: { value: { type: 'readonly [number, number]', trait: 'pair(int(0), [25, 75])' } },
  FloatRangeSlider: { value: { type: 'readonly [number, number]', trait: 'pair(float(0), [2.5, 7.5])' } },
  SelectionRangeSlider: { index: { type: 'readonly [number, number]', trait: 'pair(int(0), [0, 0])' } },
  TagsInput: {
    value: { type: 'readonly string[]', trait: 'list(text(""))' },
    allowed_tags: { type: 'readonly string[]', trait: 'list(text(""))' }
  },
  ColorsInput: {
    value: { type: 'readonly string[]', trait: 'list(color("black"))' },
    allowed_tags: { type: 'readonly string[]', trait: 'list(color("black"))' }
  },
  IntsInput: {
    value: { type: 'readonly number[]', trait: 'list(int(0))' },
    allowed_tags: { type: 'readonly number[]', trait: 'list(int(0))' }
  },
  FloatsInput: {
    value: { type: 'readonly number[]', trait: 'list(float(0))' },
    allowed_tags: { type: 'readonly number[]', trait: 'list(float(0))' }
  },
  ColorPicker: { value: { type: 'string', trait: 'color("black")' } },
  ButtonStyle: { button_color: colour },
  SliderStyle: { handle_color: colour },
  ProgressStyle: { bar_color: colour },
  NaiveDatetime: Object.fromEntries(
    ['value', 'min', 'max'].map(name => [name, { type: 'Date | null', trait: 'nullable(naiveDatetime())' }])
  ),
  FileUpload: {
    value: { type: 'readonly UploadedFile[]', trait: 'withOptions(uploadedFiles(), { echo: false })' },
    description: { type: 'string', trait: 'text("Upload")' }
  },
  Controller: {
    axes: {
      type: 'readonly ControllerAxis[]',
      trait: readOnly('references(() => ControllerAxis)')
    },
    buttons: {
      type: 'readonly ControllerButton[]',
      trait: readOnly('references(() => ControllerButton)')
    },
    connected: { type: 'boolean', trait: readOnly('bool(false)') },
    mapping: { type: 'string', trait: readOnly('text("")') },
    name: { type: 'string', trait: readOnly('text("")') },
    timestamp: { type: 'number', trait: readOnly('float(0)') }
  },
  ControllerButton: {
    pressed: { type: 'boolean', trait: readOnly('bool(false)') },
    value: { type: 'number', trait: readOnly('float(0)') }
  },
  ControllerAxis: { value: { type: 'number', trait: readOnly('float(0)') } },
  Link: { source: end, target: end },
  DirectionalLink: { source: end, target: end },
  Output: { outputs: { type: 'readonly OutputItem[]', trait: 'list(outputItem())' } }
};

/** Modules of the names that generated code uses; all other names are traits of `traits.ts`. */
export const imports = {
  Layout: './layout.ts',
  Widget: '../model/widget.ts',
  reference: '../model/reference-traits.ts',
  references: '../model/reference-traits.ts',
  color: './color-trait.ts',
  numberFormat: './number-format-trait.ts',
  date: './date-traits.ts',
  time: './date-traits.ts',
  datetime: './date-traits.ts',
  naiveDatetime: './date-traits.ts',
  TimeOfDay: './date-traits.ts',
  uploadedFiles: './file-trait.ts',
  UploadedFile: './file-trait.ts',
  linkEnd: './link-trait.ts',
  OutputItem: './output-items.ts',
  outputItem: './output-items.ts',
  ControllerAxis: './controller-parts.ts',
  ControllerButton: './controller-parts.ts',
  ...Object.fromEntries(families.styles.map(name => [name, './styles.ts']))
};
