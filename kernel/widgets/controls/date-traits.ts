/** Traits of dates and times, which are sent to the page as fields. */

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

/** The fields that are sent to the page, with the names of Date's methods. */
const FIELDS = {
  year: 'FullYear',
  month: 'Month',
  date: 'Date',
  hours: 'Hours',
  minutes: 'Minutes',
  seconds: 'Seconds',
  milliseconds: 'Milliseconds'
} as const;

type Fields = Record<keyof typeof FIELDS, number>;

/** Returns the trait of a calendar day: a Date at its start, local time. The time of an assigned Date is dropped. */
export function date(): Trait<Date> {
  const day = (value: Date): Date => new Date(value.getFullYear(), value.getMonth(), value.getDate());
  return dates(day, '', ['year', 'month', 'date']);
}

/** Returns the trait of a point in time. */
export function datetime(): Trait<Date> {
  return dates(value => new Date(value), 'UTC');
}

/** Returns the trait of a date and time without a time zone: the local fields of a Date. */
export function naiveDatetime(): Trait<Date> {
  return dates(value => new Date(value), '');
}

/** Returns the trait of a time of day: fields, or text such as `14:30` or `14:30:05.250`. */
export function time(): Trait<TimeOfDay> {
  return trait<TimeOfDay>(
    () => MIDNIGHT,
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

/** Returns the trait of a Date, sent as its fields in local time or in UTC. */
function dates(
  normal: (value: Date) => Date,
  zone: '' | 'UTC',
  names = Object.keys(FIELDS) as readonly (keyof Fields)[]
): Trait<Date> {
  return {
    initial: () => normal(new Date()),
    check(value, what) {
      if (value instanceof Date && !Number.isNaN(value.getTime())) return normal(value);
      throw new TypeError(`${what} must be a valid Date, not ${JSON.stringify(value)}`);
    },
    toJson: value => Object.fromEntries(names.map(name => [name, value[`get${zone}${FIELDS[name]}`]()])),
    fromJson(json) {
      if (!isPlainObject(json)) return json;
      const { year, month, date: day, ...time } = { ...MIDNIGHT, ...json } as Fields;
      // Unlike the constructor, this takes years below 100 literally.
      const made = new Date(0);
      made[`set${zone}FullYear`](year, month, day);
      made[`set${zone}Hours`](time.hours, time.minutes, time.seconds, time.milliseconds);
      return made;
    }
  };
}

const MIDNIGHT = { hours: 0, minutes: 0, seconds: 0, milliseconds: 0 };

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

/** Returns the milliseconds since midnight. */
export function millisecondsOf({ hours, minutes, seconds, milliseconds }: TimeOfDay): number {
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
}
