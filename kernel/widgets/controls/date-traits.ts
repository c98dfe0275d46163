/** Dates and times: the page gets their fields. */

import { trait, type Trait } from '../model/traits.ts';
import { isPlainObject } from '../model/values.ts';

/** A time of day without a time zone. */
export interface TimeOfDay {
  /** Hours, from 0 to 23. */
  readonly hours: number;
  /** Minutes, from 0 to 59. */
  readonly minutes: number;
  /** Seconds, from 0 to 59. */
  readonly seconds: number;
  /** Milliseconds, from 0 to 999. */
  readonly milliseconds: number;
}

/** A calendar day: a Date at its first moment, local time. The time of day of a given one is dropped. */
export function date(): Trait<Date> {
  return dates(
    value => new Date(value.getFullYear(), value.getMonth(), value.getDate()),
    value => ({ year: value.getFullYear(), month: value.getMonth(), date: value.getDate() }),
    ({ year, month, date: day }) => local(year, month, day)
  );
}

/** A moment. */
export function datetime(): Trait<Date> {
  return dates(
    value => new Date(value),
    value => ({
      year: value.getUTCFullYear(),
      month: value.getUTCMonth(),
      date: value.getUTCDate(),
      hours: value.getUTCHours(),
      minutes: value.getUTCMinutes(),
      seconds: value.getUTCSeconds(),
      milliseconds: value.getUTCMilliseconds()
    }),
    fields => {
      const made = new Date(0);
      made.setUTCFullYear(fields.year, fields.month, fields.date);
      made.setUTCHours(fields.hours, fields.minutes, fields.seconds, fields.milliseconds);
      return made;
    }
  );
}

/** What a clock on the wall shows: a Date by its local fields. */
export function naiveDatetime(): Trait<Date> {
  return dates(
    value => new Date(value),
    value => ({
      year: value.getFullYear(),
      month: value.getMonth(),
      date: value.getDate(),
      hours: value.getHours(),
      minutes: value.getMinutes(),
      seconds: value.getSeconds(),
      milliseconds: value.getMilliseconds()
    }),
    ({ year, month, date: day, hours, minutes, seconds, milliseconds }) => {
      const made = local(year, month, day);
      made.setHours(hours, minutes, seconds, milliseconds);
      return made;
    }
  );
}

/** Fields, or text such as `14:30` or `14:30:05.250`. */
export function time(): Trait<TimeOfDay> {
  return trait<TimeOfDay>(
    () => ({ hours: 0, minutes: 0, seconds: 0, milliseconds: 0 }),
    (value, what) => {
      const fields = typeof value === 'string' ? parsed(value) : value;
      if (isPlainObject(fields)) {
        const { hours = 0, minutes = 0, seconds = 0, milliseconds = 0 } = fields;
        const found = { hours, minutes, seconds, milliseconds };
        const limits = [24, 60, 60, 1000];
        if (Object.values(found).every((part, index) => isWithin(part, limits[index]!)))
          return found as TimeOfDay;
      }
      throw new TypeError(
        `${what} must be a time such as '14:30' or { hours: 14, minutes: 30 }, not ${JSON.stringify(value)}`
      );
    }
  );
}

type Fields = Record<'year' | 'month' | 'date' | 'hours' | 'minutes' | 'seconds' | 'milliseconds', number>;

function dates(
  normal: (value: Date) => Date,
  toJson: (value: Date) => Partial<Fields>,
  fromFields: (fields: Fields) => Date
): Trait<Date> {
  return {
    initial: () => normal(new Date()),
    check(value, what) {
      if (value instanceof Date && !Number.isNaN(value.getTime())) return normal(value);
      throw new TypeError(`${what} must be a valid Date, not ${JSON.stringify(value)}`);
    },
    toJson,
    fromJson: json => (isPlainObject(json) ? fromFields({ ...MIDNIGHT, ...json } as Fields) : json)
  };
}

const MIDNIGHT = { hours: 0, minutes: 0, seconds: 0, milliseconds: 0 };

/** Unlike the constructor it takes years below 100 as they are. */
function local(year: number, month: number, day: number): Date {
  const made = new Date(2000, 0, 1);
  made.setFullYear(year, month, day);
  return made;
}

function parsed(text: string): Record<string, number> | undefined {
  const match = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/.exec(text);
  if (match === null) return undefined;
  const [, hours, minutes, seconds = '0', fraction = '0'] = match;
  return {
    hours: Number(hours),
    minutes: Number(minutes),
    seconds: Number(seconds),
    milliseconds: Number(fraction.padEnd(3, '0'))
  };
}

function isWithin(value: unknown, limit: number): boolean {
  return typeof value === 'number' && value >= 0 && value < limit;
}

/** Milliseconds since midnight. */
export function millisecondsOf({ hours, minutes, seconds, milliseconds }: TimeOfDay): number {
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
}
