package kaka.cli;

import java.util.Optional;

/** The flags of {@code serve}: short forms of settings. */
enum ServeFlag {
  CONFIG("--config", "FILE", "", "Read this HOCON file instead of ./application.conf."),
  HOST("--host", "H", "kaka.listen.host", "Listen on this address; 0.0.0.0 for every network of this machine."),
  PORT("--port", "N", "kaka.listen.port", "Listen on this port; 0 picks a free one."),
  DIR("--dir", "D", "kaka.log.dir", "Keep everything durable in this directory; \"\" keeps it in memory only."),
  MAX_MEMORY("--max-memory", "SIZE", "kaka.memory.max-bytes", "Budget for bytes between sockets and disk, such as 512m."),
  MAX_CLIENTS("--max-clients", "N", "kaka.connections.max", "Serve so many connections at a time."),
  FSYNC_INTERVAL_MS("--fsync-interval-ms", "N", "kaka.log.fsync-interval",
      "Sync so often instead of before every ack (0): a power cut may then lose this much."),
  RETENTION_BYTES("--retention-bytes", "N", "kaka.log.retention-bytes",
      "Delete a partition's oldest segments past this size; -1 keeps everything."),
  ADMIN_PORT("--admin-port", "N", "kaka.admin.port",
      "Serve metrics and health over HTTP on this port; 0 picks a free one, off has none.");

  private final String flag;
  private final String label;
  private final String key;
  private final String description;

  ServeFlag(String flag, String label, String key, String description) {
    this.flag = flag;
    this.label = label;
    this.key = key;
    this.description = description;
  }

  /** As typed, {@code --port}. */
  String flag() {
    return flag;
  }

  /** Stands for the value in the help. */
  String label() {
    return label;
  }

  /** The setting it is short for; empty for the file that holds settings. */
  String key() {
    return key;
  }

  String description() {
    return description;
  }

  /** The value in the key's own syntax. */
  String toSetting(String value) {
    return this == FSYNC_INTERVAL_MS && value.matches("-?\\d+") ? value + "ms" : value;
  }

  static Optional<ServeFlag> of(String flag) {
    for (ServeFlag candidate : values()) {
      if (candidate.flag.equals(flag)) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }
}
