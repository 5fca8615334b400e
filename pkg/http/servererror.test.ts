import { expect, it } from 'vitest';
import { PlainServerError } from './servererror.js';

it('an error in plain text escapes what a browser could take for HTML', () => {
  expect(new PlainServerError('/a?b=<i>&c', 'x > "y"').message).toBe(
    'Internal Server Error: "/a?b=&lt;i&gt;&amp;c": x &gt; "y"',
  );
});
