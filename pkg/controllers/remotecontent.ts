/** The objects that aggregated API servers keep in the namespaces of this cluster. */
export interface RemoteContent {
  resources(): RemoteResources;
}

export interface RemoteResources {
  /** The resources whose objects are in namespaces and can be listed and deleted. */
  readonly known: readonly RemoteResource[];
  /** The group versions whose server has not told its resources, or does not respond. */
  readonly unknown: readonly string[];
}

export interface RemoteResource {
  /** Its name and group: `flunders.wardle.example.com`. */
  readonly name: string;
  /** The finalizers of each object in a namespace. Throws `ApiError` if the server refuses or does not respond. */
  finalizers(namespace: string): Promise<readonly (readonly string[])[]>;
  deleteAll(namespace: string): Promise<void>;
}

/** There are no aggregated servers. */
export const NO_REMOTE_CONTENT: RemoteContent = { resources: () => ({ known: [], unknown: [] }) };
