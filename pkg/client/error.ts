/** A command that cannot be executed, or a configuration that cannot be used. The message is one line for the user. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
}
