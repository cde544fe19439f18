package kaka.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** What somebody reads who has mistyped. */
class UsageMessageTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "prodcue logs | no command 'prodcue', did you mean produce?",
        "serv | no command 'serv', did you mean serve?",
        "topics | no command 'topics', did you mean topic?",
        "frobnicate | no command 'frobnicate': one of backup, bench, completion, config, consume, group, log, produce, serve, status, topic",
        "topic crate logs | no command 'crate', did you mean create?",
        "topic rename logs | no command 'rename': one of add-partitions, alter, create, delete, delete-records, describe, list",
        "topic create logs --partition 4 | no option '--partition', did you mean --partitions?",
        "topic create logs --sett=a=b | no option '--sett', did you mean --set?",
        "topic create logs --durable | no option '--durable'",
        "topic create logs --set durable | Value for option '--set' (KEY=VALUE) should be in KEY=VALUE format but was durable",
        "topic delete one other | 'other' is one argument too many"
      })
  void whatNothingIsCalledIsNamedWithWhatMayBeMeant(String arguments, String message) {
    Streams streams =
        new Streams(
            new ByteArrayInputStream(new byte[0]),
            new ByteArrayOutputStream(),
            new PrintStream(new ByteArrayOutputStream()),
            false,
            false,
            stop -> {});
    CommandLine kaka = Main.commandLine(streams);

    ParameterException wrong = assertThrows(ParameterException.class, () -> kaka.parseArgs(arguments.split(" ")));

    assertEquals(message, UsageMessage.of(wrong));
  }
}
