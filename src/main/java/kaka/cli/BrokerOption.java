package kaka.cli;

import kaka.client.ClientConfig;
import kaka.client.KakaClient;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --broker}, of every command that talks to one. */
final class BrokerOption {
  @Option(
      names = "--broker",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:KAKA_BROKER:-127.0.0.1:9092}",
      description = "The broker; default: environment variable KAKA_BROKER, or 127.0.0.1:9092.")
  private String broker;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** @throws kaka.client.KakaException if it cannot be reached */
  KakaClient connect() {
    return KakaClient.connect(config());
  }

  /** How to reach it. */
  ClientConfig config() {
    try {
      return ClientConfig.of(broker).withClientId(spec.qualifiedName());
    } catch (IllegalArgumentException e) {
      boolean isGiven = spec.commandLine().getParseResult().hasMatchedOption("--broker");
      String source = isGiven ? "--broker" : "environment variable KAKA_BROKER";
      throw new ParameterException(spec.commandLine(), source + ": " + e.getMessage());
    }
  }
}
