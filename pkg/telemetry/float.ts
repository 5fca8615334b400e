/**
 * A number in labels as in Go (`%g`): `1e+06`, `5e-06`, `604800`. Prometheus takes the text of a bound as it is, so queries that name a bucket of
 * kube-apiserver find it only in the same form.
 */
export function floatText(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (value === 0 || !Number.isFinite(value) || (power >= -4 && power < GO_PLAIN_DIGITS)) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Numbers from 10 to this power on have an exponent. */
const GO_PLAIN_DIGITS = 6;
