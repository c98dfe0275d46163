/** Colours, days and times. */

import { widgetClass } from '../model/widget-class.ts';
import { keepBetween } from './bounds.ts';
import { millisecondsOf } from './date-traits.ts';
import {
  colorPickerSpec,
  datePickerSpec,
  datetimePickerSpec,
  naiveDatetimePickerSpec,
  timePickerSpec,
  type ColorPickerProperties,
  type DatePickerProperties,
  type DatetimePickerProperties,
  type NaiveDatetimePickerProperties,
  type TimePickerProperties
} from './pickers.generated.ts';

const keepMoment = keepBetween<Date>(value => value.getTime());

/** A colour. */
export class ColorPicker extends widgetClass<ColorPickerProperties>(colorPickerSpec) {}

/** A day: a Date at its first moment, local time. */
export class DatePicker extends widgetClass<DatePickerProperties>(datePickerSpec, keepMoment) {}

/** A time of day. */
export class TimePicker extends widgetClass<TimePickerProperties>(
  timePickerSpec,
  keepBetween(millisecondsOf)
) {}

/** A moment; the page shows it in its own time zone. */
export class DatetimePicker extends widgetClass<DatetimePickerProperties>(datetimePickerSpec, keepMoment) {}

/** A day and time without a zone: a Date by its local fields. */
export class NaiveDatetimePicker extends widgetClass<NaiveDatetimePickerProperties>(
  naiveDatetimePickerSpec,
  keepMoment
) {}
