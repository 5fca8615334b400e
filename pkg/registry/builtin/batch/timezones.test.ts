import { expect, it } from 'vitest';
import { isTimeZone } from './timezones.js';

it('names of time zones are case-sensitive, those of links are known, and others that ICU has are not', () => {
  for (const name of ['Europe/Berlin', 'US/Pacific', 'America/Argentina/Buenos_Aires', 'Etc/GMT-14', 'UTC', 'Factory'])
    expect([name, isTimeZone(name)]).toEqual([name, true]);
  for (const name of [
    'europe/berlin',
    'EUROPE/BERLIN',
    'Utc',
    'JST',
    'SystemV/PST8',
    'GMT+1',
    '+01:00',
    ' UTC',
    'Europe',
  ])
    expect([name, isTimeZone(name)]).toEqual([name, false]);
});
