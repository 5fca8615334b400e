interface Servers {
  readonly url: string;
  /** Further servers of the cluster: each gets a cluster, and a context with its name. */
  readonly others?: readonly { readonly name: string; readonly url: string }[];
  /** PEM. */
  readonly ca: string;
  readonly user: string;
}

/** A user with a certificate and its key, PEM, or with a token. */
type Credentials = { readonly cert: string; readonly key: string } | { readonly token: string };

export type KubeconfigParts = Servers & Credentials;

/** A kubeconfig for one user, with a context for each server and all certificates embedded. */
export function kubeconfigText(parts: KubeconfigParts): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const { user, others = [] } = parts;
  const ways = [
    { name: 'trireme', url: parts.url, context: `${user}@trireme` },
    ...others.map(({ name, url }) => ({ name: `trireme-${name}`, url, context: name })),
  ];
  const clusters = ways.map(
    ({ name, url }) => `- name: ${name}
  cluster:
    server: ${url}
    certificate-authority-data: ${base64(parts.ca)}
`,
  );
  const contexts = ways.map(
    ({ name, context }) => `- name: ${context}
  context:
    cluster: ${name}
    user: ${user}
`,
  );
  const credentials =
    'token' in parts
      ? `    token: ${parts.token}\n`
      : `    client-certificate-data: ${base64(parts.cert)}\n    client-key-data: ${base64(parts.key)}\n`;
  return `apiVersion: v1
kind: Config
clusters:
${clusters.join('')}users:
- name: ${user}
  user:
${credentials}contexts:
${contexts.join('')}current-context: ${user}@trireme
preferences: {}
`;
}
