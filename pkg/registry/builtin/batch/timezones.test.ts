import { describe, expect, it } from 'vitest';
import { Bench, causesOf } from '../../testing.js';
import { isTimeZone } from './timezones.js';

describe('names of time zones', () => {
  it('are case-sensitive; those of links are known, and others that ICU has are not', () => {
    for (const name of ['Europe/Berlin', 'US/Pacific', 'America/Argentina/Buenos_Aires', 'Etc/GMT-14', 'UTC'])
      expect([name, isTimeZone(name)]).toEqual([name, true]);
    for (const name of ['europe/berlin', 'EUROPE/BERLIN', 'Utc', 'JST', 'SystemV/PST8', 'GMT+1', '+01:00', 'Europe'])
      expect([name, isTimeZone(name)]).toEqual([name, false]);
  });

  const EXPLICIT = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';

  it.each([
    ['', ['timeZone must be nil or non-empty string']],
    ['Local', [EXPLICIT]],
    ['local', [EXPLICIT, 'unknown time zone local']],
    ['europe/berlin', ['unknown time zone europe/berlin']],
  ])('%j has the faults that kube-apiserver finds', async (timeZone, faults) => {
    const b = await Bench.open();
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const found = await causesOf(
      b.create('cronjobs.batch', 'default', {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'a' },
        spec: { schedule: '* * * * *', timeZone, jobTemplate: { spec: { template } } },
      }),
    );
    expect(found).toEqual(faults.map((f) => `spec.timeZone: Invalid value: ${JSON.stringify(timeZone)}: ${f}`));
  });
});
