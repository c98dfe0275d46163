/** Controls for colours, days and times. */

import { widgetClass } from '../model/widget-class.ts';
import { keepBetween } from './bounds.ts';
import { millisecondsOf } from './date-traits.ts';
import * as specs from './pickers.generated.ts';

const keepMoment = keepBetween<Date>(value => value.getTime());

/** A control for a colour. */
export class ColorPicker extends widgetClass(specs.colorPickerSpec) {}

/** A control for a day: a Date at its start, in local time. */
export class DatePicker extends widgetClass(specs.datePickerSpec, keepMoment) {}

/** A control for a time of day. */
export class TimePicker extends widgetClass(specs.timePickerSpec, keepBetween(millisecondsOf)) {}

/** A control for a date and time; the page shows it in its own time zone. */
export class DatetimePicker extends widgetClass(specs.datetimePickerSpec, keepMoment) {}

/** A control for a date and time without a time zone: the local fields of a Date. */
export class NaiveDatetimePicker extends widgetClass(specs.naiveDatetimePickerSpec, keepMoment) {}
