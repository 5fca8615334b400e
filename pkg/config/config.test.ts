import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configOf, FLAGS, helpText, isKnownFlag, parseCommandLine } from './index.js';

function run(...args: string[]) {
  const line = parseCommandLine(args);
  if (line.kind !== 'run') throw new Error(line.kind);
  return configOf(line.values, line.warnings, line.given);
}

describe('the command line', () => {
  it('has consistent defaults', () => {
    const config = run();
    expect(config.serving).toMatchObject({ bindAddress: '127.0.0.1', port: 6443 });
    expect(config.limits).toEqual({
      fairness: true,
      requestsInFlight: 400,
      mutatingInFlight: 200,
      requestTimeout: 60_000,
      watchTimeout: 1_800_000,
    });
    expect(config.cluster.compactionRetention).toBe(300_000);
    expect(config.api.nodePorts).toEqual({ from: 30000, to: 32767 });
    expect(Object.isFrozen(config.serving)).toBe(true);
  });

  it('accepts values after = and as the next argument, with one dash or two', () => {
    expect(run('--secure-port=1', '--data-dir', '/tmp/x', '-name=a').cluster.name).toBe('a');
    expect(run('--secure-port=1', '--secure-port', '2').serving.port).toBe(2);
    expect(run('--v=4').logLevel).toBe('debug');
    expect(run('--controllers=*', '--controllers=-a', '--controllers=-b').controllers).toEqual(['*', '-a', '-b']);
  });

  it('reads how long events are kept as kube-apiserver does: in whole seconds, for ever below one', () => {
    const seconds = (...args: string[]) => run(...args).api.eventSeconds;
    expect([seconds(), seconds('--event-ttl=90m'), seconds('--event-ttl=2500ms')]).toEqual([3600, 5400, 2]);
    expect([seconds('--event-ttl=0'), seconds('--event-ttl=0s'), seconds('--event-ttl=900ms')]).toEqual([0, 0, 0]);
    expect(run('--event-ttl=2s').warnings).toEqual([]);
    expect(seconds('--event-ttl=2562047h')).toBe(2_562_047 * 3600);
    expect(() => run('--event-ttl=2562048h')).toThrow('time: invalid duration "2562048h"');
    expect(() => run('--event-ttl=-1h')).toThrow('must not be negative');
  });

  it('reads versions and features to enable', () => {
    const { api } = run('--runtime-config=apps/v1=0,api/beta=true', '--runtime-config=batch/v1,api/beta=false');
    expect([...api.runtimeConfig]).toEqual([
      ['apps/v1', false],
      ['api/beta', false],
      ['batch/v1', true],
    ]);
    expect([...run('--runtime-config=api/beta,apps/v1/deployments').api.runtimeConfig]).toEqual([
      ['api/beta', true],
      ['apps/v1/deployments', true],
    ]);
  });

  it('reads the members of a cluster', () => {
    const { cluster } = run('--name=a', '--initial-cluster=a=https://h:1,b=https://i:2,a=https://h:3');
    expect([...cluster.initialCluster]).toEqual([
      ['a', ['https://h:1', 'https://h:3']],
      ['b', ['https://i:2']],
    ]);
  });

  it('reads addresses of every kind', () => {
    const { cluster, serving } = run(
      '--listen-peer-urls=https://[::1]:2380,https://localhost:2381',
      '--initial-advertise-peer-urls=',
      '--advertise-address=2001:db8::1',
    );
    expect(cluster.advertisePeerUrls).toEqual(['https://[::1]:2380', 'https://localhost:2381']);
    expect(serving.advertiseAddress).toBe('2001:db8::1');
    expect(run('--advertise-address=').serving.advertiseAddress).toBe('');
  });

  it('reads the URLs of metrics', () => {
    expect(run('--listen-metrics-urls=http://127.0.0.1:2381,https://[::1]:80').serving.metricsUrls).toEqual([
      { secure: false, host: '127.0.0.1', port: 2381 },
      { secure: true, host: '::1', port: 80 },
    ]);
    expect(run().serving.metricsUrls).toEqual([]);
  });

  it('accepts underscores in names of flags', () => {
    expect(run('--secure_port=1').serving.port).toBe(1);
  });

  it('reads ranges', () => {
    const { api } = run('--service-cluster-ip-range=10.0.3.7/16,fd00::7/112', '--service-node-port-range=30000+99');
    expect(api.serviceRanges).toEqual(['10.0.0.0/16', 'fd00::/112']);
    expect(api.nodePorts).toEqual({ from: 30000, to: 30099 });
    expect(run('--service-node-port-range=31000').api.nodePorts).toEqual({ from: 31000, to: 31000 });
  });

  it('reads the quota, with 0 for the default', () => {
    expect(run('--quota-backend-bytes=7').cluster.quotaBytes).toBe(7);
    expect(run('--quota-backend-bytes=0').cluster.quotaBytes).toBe(run().cluster.quotaBytes);
  });

  it('reads durations', () => {
    expect(run('--auto-compaction-retention=2').cluster.compactionRetention).toBe(7_200_000);
    expect(run('--auto-compaction-retention=0').cluster.compactionRetention).toBe(0);
    expect(run('--request-timeout=1m30s').limits.requestTimeout).toBe(90_000);
    expect(run('--auto-compaction-retention=1h').cluster.compactionRetention).toBe(3_600_000);
  });

  it('reads switches as Go does', () => {
    const anonymous = (text: string) => run(`--anonymous-auth=${text}`).access.anonymous;
    expect(['1', 't', 'TRUE', '0', 'F', 'False'].map(anonymous)).toEqual([true, true, true, false, false, false]);
  });

  it('checks the flags of an audit backend only if it is used, and reports all problems', () => {
    expect(run('--audit-log-mode=x', '--audit-webhook-version=v').audit).toMatchObject({ log: undefined });
    const log = (...flags: string[]) => run('--audit-log-path=-', ...flags);
    expect(log('--audit-log-batch-throttle-qps=-1', '--audit-log-mode=batch').audit.log?.mode).toBe('batch');
    expect(log('--audit-log-batch-buffer-size=0').audit.log?.mode).toBe('blocking');
    expect(() => log('--audit-log-mode=x', '--audit-log-format=y', '--audit-log-maxage=-1')).toThrow(
      '[invalid audit log mode x, allowed modes are "batch,blocking,blocking-strict", ' +
        'invalid audit log format y, allowed formats are "legacy,json", ' +
        "--audit-log-maxage -1 can't be a negative number]",
    );
    expect(() => log('--audit-log-mode=batch', '--audit-log-batch-max-size=0')).toThrow(
      'invalid audit batch log max batch size 0, must be a positive number',
    );
    expect(() => log('--audit-log-truncate-max-event-size=0')).toThrow(
      'invalid audit truncate log max event size 0, must be a positive number',
    );
  });

  it.each([
    [['--frobnicate'], 'unknown flag --frobnicate (see --help)'],
    [['--secure-prot=1'], 'unknown flag --secure-prot, did you mean --secure-port? (see --help)'],
    [['--secure-port'], 'flag --secure-port needs a value'],
    [
      ['--secure-port=x'],
      'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax',
    ],
    [['--secure-port=70000'], '--secure-port=70000: must be a port (0 to 65535)'],
    [['--request-timeout=x'], 'invalid argument "x" for "--request-timeout" flag: time: invalid duration "x"'],
    [['--request-timeout=5'], 'invalid argument "5" for "--request-timeout" flag: time: missing unit in duration "5"'],
    [['--request-timeout=1d'], 'time: unknown unit "d" in duration "1d"'],
    [['--anonymous-auth=x'], 'for "--anonymous-auth" flag: strconv.ParseBool: parsing "x": invalid syntax'],
    [['--oidc-required-claim=a'], 'for "--oidc-required-claim" flag: malformed pair, expect string=string'],
    [['--authorization-mode=X'], 'authorization-mode "X" is not a valid mode'],
    [['--authorization-mode=RBAC,RBAC'], 'authorization-mode ["RBAC" "RBAC"] has mode specified more than once'],
    [['--bind-address=here'], '--bind-address=here: must be an IP address'],
    [['--advertise-address=example.com'], '--advertise-address=example.com: must be an IP address'],
    [['--listen-peer-urls=foo'], 'must be https://HOST:PORT, or several with commas, not "foo"'],
    [['--listen-metrics-urls=x'], 'URL scheme must be http or https: x'],
    [['--listen-metrics-urls=http://127.0.0.1:1,,'], 'URL scheme must be http or https: '],
    [['--listen-metrics-urls=http://127.0.0.1'], 'URL address does not have the form "host:port": http://127.0.0.1'],
    [['--listen-metrics-urls=http://localhost:1/a'], 'URL must not contain a path: http://localhost:1/a'],
    [['--listen-metrics-urls=http://example.com:1'], 'expected IP in URL for binding (http://example.com:1)'],
    [['--listen-peer-urls='], 'must be https://HOST:PORT, or several with commas, not ""'],
    [['--listen-peer-urls=https://127.0.0.1:99999'], 'not "https://127.0.0.1:99999"'],
    [['--initial-advertise-peer-urls=https://a:1,http://b:2'], 'not "http://b:2"'],
    [['--initial-cluster=default=https://a:99999'], '"default=https://a:99999" is not NAME=https://HOST:PORT'],
    [['--election-timeout=50001'], '--election-timeout=50001: must be 1 to 50000'],
    [['--request-timeout=0s'], '--request-timeout=0s: must be more than 0'],
    [['--auto-compaction-retention=x'], '--auto-compaction-retention=x: must be a duration'],
    [['--service-cluster-ip-range=10.0.0.0/99'], 'must be one or two CIDR blocks, such as 10.96.0.0/12'],
    [['--service-cluster-ip-range='], 'must be one or two CIDR blocks, such as 10.96.0.0/12'],
    [['--service-cluster-ip-range=10.0.0.0/16,10.1.0.0/16'], 'two ranges must be of different IP families'],
    [['--service-cluster-ip-range=10.0.0.0/30'], 'must have at least 8 addresses'],
    [['--service-node-port-range=0-10'], '--service-node-port-range=0-10: must be two ports, such as 30000-32767'],
    [['--service-node-port-range=30000+40000'], 'must be two ports, such as 30000-32767'],
    [['--initial-cluster=default=https://h:1,b=https://h:1'], 'https://h:1 occurs twice; every peer needs its own'],
    [['serve'], 'unexpected argument "serve" (see --help)'],
    [['--initial-cluster-state=old'], '--initial-cluster-state=old: must be "new" or "existing"'],
    [['--runtime-config=api/beta=maybe'], '--runtime-config: invalid value api/beta=maybe'],
    [['--runtime-config=api/all=1'], '--runtime-config: invalid value api/all=1'],
    [
      ['--runtime-config=apps/v1=maybe'],
      '--runtime-config: invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [['--tls-cert-file=a'], 'missing filename for serving cert'],
    [
      ['--max-requests-inflight=-1', '--max-mutating-requests-inflight=-2', '--request-timeout=-1s'],
      /^\[--max-requests-inflight can not be negative value, --max-mutating-requests-inflight can not be negative value, --request-timeout can not be negative value\]$/,
    ],
    [['--min-request-timeout=-1'], /^--min-request-timeout can not be negative value$/],
    [['--goaway-chance=0.5'], /^--goaway-chance can not be less than 0 or greater than 0.02$/],
    [['--goaway-chance=-0.001'], '--goaway-chance can not be less than 0 or greater than 0.02'],
    [
      ['--goaway-chance=x'],
      'invalid argument "x" for "--goaway-chance" flag: strconv.ParseFloat: parsing "x": invalid syntax',
    ],
    [['--initial-cluster=a'], '--initial-cluster: "a" is not NAME=https://HOST:PORT'],
    [['--peer-cert-file=a'], '--peer-cert-file, --peer-key-file and --peer-trusted-ca-file must be set together'],
    [['--initial-cluster=a=https://127.0.0.1:1'], '--initial-cluster does not name this peer, default'],
    [['--election-timeout=100'], '--election-timeout must be at least five times --heartbeat-interval'],
  ])('refuses %j', (args, message) => {
    expect(() => run(...args)).toThrow(message);
  });

  it('names every flag in its help', () => {
    const help = helpText('trireme-apiserver');
    for (const flag of FLAGS) expect(help).toContain(`--${flag.name}`);
    expect(parseCommandLine(['--help', '--nope'])).toEqual({ kind: 'help' });
    expect(parseCommandLine(['--version=true'])).toEqual({ kind: 'version' });
  });
});

describe('the flags of kube-apiserver 1.37 and etcd 3.7', () => {
  const flags = readFileSync(new URL('../../test/fixtures/flags.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]);

  it('are all known: served, accepted with a warning, or refused', () => {
    expect(flags.length).toBeGreaterThan(270);
    expect(flags.filter(([, name]) => !isKnownFlag(name))).toEqual([]);
  });

  it('are accepted with one warning if they have no effect', () => {
    expect(
      run('--watch-cache=false', '--watch-cache=false', '--profiling', '--name=a', '--logger', 'zap').warnings,
    ).toEqual([
      '--watch-cache has no effect: the store is built in',
      '--profiling has no effect: there are no profiles under /debug/pprof',
      '--logger has no effect: the log is written to standard output as JSON lines',
    ]);
  });

  it('are refused if it is dangerous to ignore them', () => {
    expect(() => run('--encryption-provider-config-automatic-reload')).toThrow('--encryption-provider-config');
    expect(() => run('--etcd-servers=http://127.0.0.1:2379')).toThrow('does not use etcd; see --data-dir');
    expect(run('--allow-privileged', '--storage-backend=etcd3').warnings).toEqual([]);
    expect(() => run('--allow-privileged=false')).toThrow('enforce Pod Security');
  });
});

describe('the TLS flags', () => {
  it('have the names of Go, which are mapped to those of OpenSSL', () => {
    const { tls } = run(
      '--tls-min-version=VersionTLS13',
      '--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256',
      '--disable-http2-serving',
      '--tls-sni-cert-key=a.crt,a.key',
      '--tls-sni-cert-key=b.crt,b.key:*.Foo.com,bar.com',
    ).serving;
    expect(tls).toEqual({
      minVersion: 'TLSv1.3',
      ciphers: ['ECDHE-RSA-AES128-GCM-SHA256'],
      http2: false,
      named: [
        { certFile: 'a.crt', keyFile: 'a.key', names: [] },
        { certFile: 'b.crt', keyFile: 'b.key', names: ['*.foo.com', 'bar.com'] },
      ],
    });
    expect(run().serving.tls).toEqual({ minVersion: 'TLSv1.2', ciphers: [], http2: true, named: [] });
  });

  it.each([
    ['--tls-min-version=VersionTLS14', /^unknown tls version "VersionTLS14"$/],
    ['--tls-cipher-suites=TLS_FOO,TLS_BAR', /^Cipher suite TLS_FOO not supported or doesn't exist$/],
    ['--tls-cipher-suites=TLS_AES_128_GCM_SHA256,', /^Cipher suite {2}not supported or doesn't exist$/],
    [
      '--tls-cipher-suites=TLS_RSA_WITH_AES_128_CBC_SHA',
      /^error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP\/2-required AES_128_GCM_SHA256 cipher/,
    ],
    ['--tls-sni-cert-key=a.crt', 'expected comma separated certificate and key file paths'],
    ['--tls-sni-cert-key=a.crt,a.key:', 'empty names list is not allowed'],
  ])('%s is refused', (flag, message) => {
    expect(() => run(flag)).toThrow(message);
  });
});

describe('suites of TLS 1.2 that HTTP/2 does not allow alone', () => {
  it.each(['--disable-http2-serving', '--tls-min-version=VersionTLS13'])('may be given with %s', (flag) => {
    const { tls } = run('--tls-cipher-suites=TLS_RSA_WITH_AES_128_CBC_SHA', flag).serving;
    expect(tls.ciphers).toEqual(['AES128-SHA']);
  });
});

describe('the shown flags', () => {
  it('have the forms of kube-apiserver, in the order of their names', () => {
    const { flags } = run(
      '--feature-gates=NativeHistograms=true,ComponentFlagz=false',
      '--api-audiences=b,a',
      '--request-timeout=90s',
      '--secure-port=07443',
      '--tls-sni-cert-key=a.crt,a.key',
      '--tls-sni-cert-key=b.crt,b.key',
    );
    expect(Object.keys(flags)).toEqual(Object.keys(flags).toSorted());
    expect(flags).toMatchObject({
      'api-audiences': '[b,a]',
      'audit-policy-file': '',
      'authorization-mode': '[Node,RBAC]',
      'cluster-signing-duration': '8760h0m0s',
      'enable-admission-plugins': '[]',
      'event-ttl': '1h0m0s',
      'feature-gates': 'ComponentFlagz=false,NativeHistograms=true',
      'anonymous-auth': 'true',
      'request-timeout': '1m30s',
      'secure-port': '7443',
      'tls-sni-cert-key': '[a.crt,a.key;b.crt,b.key]',
    });
  });
});
