package kaka.broker;

import java.util.Optional;

/** This build's version, from the jar's manifest. */
public final class Version {
  private Version() {}

  /** {@code 0.1.0}; {@code dev} where the classes do not come from the jar. */
  public static String current() {
    return Optional.ofNullable(Version.class.getPackage().getImplementationVersion()).orElse("dev");
  }
}
