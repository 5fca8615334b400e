import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConfigError } from './flag.js';
import { chooseFeatures, featureHelp, featureStates } from './gates.js';
import { FEATURE_DEPENDENCIES, FEATURE_GATES, FEATURES_HERE } from './gatetable.js';

const on = (text: string, ...names: string[]) => names.map((name) => chooseFeatures(text).enabled.get(name));

describe('feature gates', () => {
  it('have the defaults of level 1.37', () => {
    const { enabled, warnings } = chooseFeatures('');
    expect(on('', 'CBORServingAndStorage', 'APIResponseCompression', 'ImageVolume', 'KMSv1')).toEqual([
      false,
      true,
      true,
      false,
    ]);
    for (const [name, gate] of Object.entries(FEATURE_GATES))
      expect([name, enabled.get(name)]).toEqual([name, gate.default]);
    expect(warnings).toEqual([]);
  });

  it('are set by name, with and without the component, and the last value wins', () => {
    expect(on('CBORServingAndStorage=true', 'CBORServingAndStorage')).toEqual([true]);
    expect(on('kube:CBORServingAndStorage=T, kube:WatchList = 0', 'CBORServingAndStorage', 'WatchList')).toEqual([
      true,
      false,
    ]);
    expect(on('WatchList=false,WatchList=true', 'WatchList')).toEqual([true]);
    expect(on(',,WatchList=false,', 'WatchList')).toEqual([false]);
  });

  it('are set by stage, and a name overrides its stage in any order', () => {
    const names = [
      'CBORServingAndStorage',
      'ShardedListAndWatch',
      'APIResponseCompression',
      'GenericWorkload',
      'KMSv1',
    ];
    expect(on('AllAlpha=true,GenericWorkload=true', ...names)).toEqual([true, true, true, true, false]);
    expect(on('AllAlpha=true,AllBeta=true', ...names)).toEqual([true, true, true, true, false]);
    expect(on('AllBeta=false', ...names)).toEqual([false, false, false, false, false]);
    expect(on('ShardedListAndWatch=false,AllAlpha=true,GenericWorkload=true', ...names)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(on('AllAlpha=true,GenericWorkload=true,ShardedListAndWatch=false', ...names)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(on('AllBeta=false,APIResponseCompression=true', ...names)).toEqual([false, false, true, false, false]);
    expect(on('AllAlpha=true,GenericWorkload=true', 'AllAlpha', 'AllBeta')).toEqual([true, false]);
  });

  it.each([
    ['Nope=true', 'unrecognized feature gate: Nope'],
    ['cborservingandstorage=true', 'unrecognized feature gate: cborservingandstorage'],
    ['CBORServingAndStorage', 'missing bool value for CBORServingAndStorage'],
    [
      'CBORServingAndStorage=maybe',
      'invalid value of CBORServingAndStorage=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    ['WatchList=', 'invalid value of WatchList=, err: strconv.ParseBool: parsing "": invalid syntax'],
    ['ImageVolume=false', 'cannot set feature gate ImageVolume to false, feature is locked to true'],
    [
      'SeparateCacheWatchRPC=true,ImageVolume=false',
      '[cannot set feature gate SeparateCacheWatchRPC to true, feature is locked to false, ' +
        'cannot set feature gate ImageVolume to false, feature is locked to true]',
    ],
    [
      'DRADeviceTaints=false,DRADeviceTaintRules=true',
      'DRADeviceTaintRules is enabled, but depends on features that are disabled: [DRADeviceTaints]',
    ],
    ['wardle:WatchList=true', 'component not registered: wardle'],
    [
      'kube:WatchList=true,WatchList=true',
      'set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use',
    ],
  ])('refuse %j with the message of kube-apiserver', (text, message) => {
    expect(() => chooseFeatures(text)).toThrow(new ConfigError(`--feature-gates: ${message}`));
  });

  it('warn about gates that will be removed and gates without effect', () => {
    expect(chooseFeatures('ImageVolume=true,KMSv1=true,NodeSwap=true').warnings).toEqual([
      '--feature-gates: setting GA feature gate ImageVolume=true; it will be removed in a future release',
      '--feature-gates: setting deprecated feature gate KMSv1=true; it will be removed in a future release',
      '--feature-gates: setting GA feature gate NodeSwap=true; it will be removed in a future release',
    ]);
    expect(
      chooseFeatures('EventedPLEG=true,WatchList=true,CBORServingAndStorage=true,AllAlpha=true,GenericWorkload=true')
        .warnings,
    ).toEqual(['--feature-gates: EventedPLEG=true has no effect in this server']);
  });

  it('are listed in the help unless they are locked', () => {
    const lines = featureHelp();
    expect(lines[0]).toMatch(/^kube:A/);
    expect(lines).toEqual([...lines].sort());
    expect(lines).toContain('kube:AllAlpha=true|false (ALPHA - default=false)');
    expect(lines).toContain('kube:APIResponseCompression=true|false (BETA - default=true)');
    expect(lines.some((line) => line.includes('ImageVolume=') || line.includes('KMSv1'))).toBe(false);
  });

  it('report their state and stage', () => {
    const states = [...featureStates(chooseFeatures('AllAlpha=true,GenericWorkload=true').enabled)];
    expect(states).toHaveLength(Object.keys(FEATURE_GATES).length + 2);
    expect(states).toContainEqual({ name: 'CBORServingAndStorage', stage: 'ALPHA', enabled: true });
    expect(states).toContainEqual({ name: 'ImageVolume', stage: '', enabled: true });
  });
});

describe('the table of gates', () => {
  it('has dependencies that hold by default', () => {
    expect(() => chooseFeatures('')).not.toThrow();
    for (const [name, needed] of Object.entries(FEATURE_DEPENDENCIES))
      for (const other of [name, ...needed]) expect(Object.keys(FEATURE_GATES)).toContain(other);
  });

  it('contains the gates that schemas refer to', () => {
    const folder = new URL('../schema/data/', import.meta.url);
    const asked = new Set<string>();
    for (const file of readdirSync(folder))
      if (file.endsWith('.schema'))
        for (const [, names] of readFileSync(new URL(file, folder), 'utf8').matchAll(/\bgate=([A-Za-z0-9,]+)/g))
          for (const name of names!.split(',')) asked.add(name);
    // Features whose gates were removed because they are always enabled.
    for (const gone of ['CSIStorageCapacity', 'AnyVolumeDataSource', 'TopologyAwareHints']) asked.delete(gone);
    expect([...asked].filter((name) => !(FEATURES_HERE as ReadonlySet<string>).has(name))).toEqual([]);
    expect(asked.size).toBeGreaterThan(40);
  });
});
