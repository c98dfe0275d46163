/** The core controls of Jupyter: classes for the models of @jupyter-widgets/controls 2.0.0, base 2.0.0 and output 1.0.0. */

export { fixed, type Abbreviation, type ArgumentOf, type ValueWidget } from './abbreviations.ts';
export { Accordion, Box, GridBox, HBox, Stack, Tab, VBox } from './boxes.ts';
export { ControllerAxis, ControllerButton } from './controller-parts.ts';
export { Controller } from './controller.ts';
export type { TimeOfDay } from './date-traits.ts';
export type { UploadedFile } from './file-trait.ts';
export { AppLayout, TwoByTwoLayout, type AppLayoutOptions, type GridChild } from './grid-layouts.ts';
export { interact, Interactive, interactive, type Arguments, type InteractOptions } from './interact.ts';
export { Layout } from './layout.ts';
export {
  DirectionalLink,
  dlink,
  jsdlink,
  jslink,
  Link,
  link,
  type LinkEnd,
  type LinkHandle
} from './links.ts';
export { Audio, FileUpload, Image, Video } from './media.ts';
export {
  BoundedFloatText,
  BoundedIntText,
  FloatLogSlider,
  FloatProgress,
  FloatRangeSlider,
  FloatSlider,
  FloatText,
  IntProgress,
  IntRangeSlider,
  IntSlider,
  IntText,
  Play
} from './numbers.ts';
export { Output } from './output.ts';
export type { OutputItem } from './output-items.ts';
export type { OptionValue, SelectionOptions } from './options.ts';
export { ColorPicker, DatePicker, DatetimePicker, NaiveDatetimePicker, TimePicker } from './pickers.ts';
export {
  Dropdown,
  RadioButtons,
  Select,
  SelectionRangeSlider,
  SelectionSlider,
  SelectMultiple,
  ToggleButtons
} from './selection.ts';
export {
  ButtonStyle,
  CheckboxStyle,
  DescriptionStyle,
  HTMLMathStyle,
  HTMLStyle,
  LabelStyle,
  ProgressStyle,
  SliderStyle,
  TextStyle,
  ToggleButtonsStyle,
  ToggleButtonStyle
} from './styles.ts';
export { ColorsInput, FloatsInput, IntsInput, TagsInput } from './tags.ts';
export { Combobox, HTML, HTMLMath, Label, Password, Text, Textarea } from './text.ts';
export { Button, Checkbox, ToggleButton, Valid } from './toggles.ts';
