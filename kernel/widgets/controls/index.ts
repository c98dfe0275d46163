/** The core controls of Jupyter: classes for the models of @jupyter-widgets/controls 2.0.0, base 2.0.0 and output 1.0.0. */

export { fixed, type Abbreviation, type ArgumentOf, type ValueWidget } from './abbreviations.ts';
export * from './boxes.ts';
export * from './controller-parts.ts';
export * from './controller.ts';
export type { TimeOfDay } from './date-traits.ts';
export type { UploadedFile } from './file-trait.ts';
export * from './grid-layouts.ts';
export * from './interact.ts';
export { Layout } from './layout.ts';
export * from './links.ts';
export * from './media.ts';
export * from './numbers.ts';
export * from './output.ts';
export type { OutputItem } from './output-items.ts';
export type { OptionValue, SelectionOptions } from './options.ts';
export * from './pickers.ts';
export {
  Dropdown,
  RadioButtons,
  Select,
  SelectionRangeSlider,
  SelectionSlider,
  SelectMultiple,
  ToggleButtons
} from './selection.ts';
export * from './styles.ts';
export * from './tags.ts';
export * from './text.ts';
export * from './toggles.ts';
