export interface KubeconfigParts {
  readonly url: string;
  /** Further servers of the cluster: each gets a cluster and a context with its name. */
  readonly others?: readonly { readonly name: string; readonly url: string }[];
  /** PEM. */
  readonly ca: string;
  readonly user: string;
  readonly cert: string;
  readonly key: string;
}

/** A kubeconfig for one user, with a context for each server and all certificates embedded. */
export function kubeconfigText(parts: KubeconfigParts): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const { user, others = [] } = parts;
  const ways = [{ name: 'trireme', url: parts.url }, ...others.map((o) => ({ ...o, name: `trireme-${o.name}` }))];
  const clusters = ways.map(
    ({ name, url }) => `- name: ${name}
  cluster:
    server: ${url}
    certificate-authority-data: ${base64(parts.ca)}
`,
  );
  const contexts = ways.map(
    ({ name }) => `- name: ${user}@${name}
  context:
    cluster: ${name}
    user: ${user}
`,
  );
  return `apiVersion: v1
kind: Config
clusters:
${clusters.join('')}users:
- name: ${user}
  user:
    client-certificate-data: ${base64(parts.cert)}
    client-key-data: ${base64(parts.key)}
contexts:
${contexts.join('')}current-context: ${user}@trireme
preferences: {}
`;
}
