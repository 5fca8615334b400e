package clients;

import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

/** Assertions that are always on. */
final class Checks {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private Checks() {}

  static void check(boolean holds, String message) {
    if (!holds) throw new AssertionError(message);
  }

  /** Waits until a condition holds. */
  static void eventually(String message, BooleanSupplier condition) throws InterruptedException {
    Instant end = Instant.now().plus(LIMIT);
    while (!condition.getAsBoolean()) {
      check(Instant.now().isBefore(end), message);
      Thread.sleep(50);
    }
  }
}
