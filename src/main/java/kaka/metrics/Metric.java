package kaka.metrics;

import java.util.List;

/**
 * Every metric of kaka's own: the only place that has their names. METRICS.md is made of it. Names and units are by Prometheus's
 * conventions; the metrics of the JVM are {@link JvmMetric}'s.
 */
public enum Metric {
  // ---------------------------------------------------------------- the broker
  BUILD_INFO("kaka_build_info", Kind.INFO, "1; its labels say what runs.", "version", "java"),
  START_TIME("kaka_start_time_seconds", Kind.GAUGE, "When the broker was started, in seconds since 1970."),
  READY("kaka_ready", Kind.GAUGE, "1 if /health/ready says so: everything is open, nothing has failed, the disk has room."),
  PROBLEMS("kaka_problems", Kind.GAUGE, "What is wrong now, one for each reason that /health/ready gives.", "problem"),
  TOPICS("kaka_topics", Kind.GAUGE, "Topics there are."),
  PARTITIONS("kaka_partitions", Kind.GAUGE, "Partitions by state: opening, writable, failed.", "state"),
  PARTITION_FAILED("kaka_partition_failed", Kind.GAUGE, "1 for a partition that has failed; there is no series for others. 100 at most.", "topic", "partition"),
  RECOVERY_SECONDS("kaka_recovery_duration_seconds", Kind.GAUGE, "How long the start took to open all partitions, groups and transactions."),
  RECOVERY_SCANNED("kaka_recovery_scanned_bytes_total", Kind.COUNTER, "Bytes of logs read and checked to open them."),
  RECOVERY_REWRITTEN("kaka_recovery_rewritten_bytes_total", Kind.COUNTER, "Bytes written again in place and synced at an open, because no sync of theirs was known."),
  RECOVERY_CUT("kaka_recovery_cut_bytes_total", Kind.COUNTER, "Bytes of torn tails cut off at an open."),

  // ---------------------------------------------------------------- requests
  REQUEST_SECONDS("kaka_request_duration_seconds", Kind.SECONDS, "From a request's arrival to its answer's last byte at the socket; a fetch's includes the time it waited for records.", "protocol", "request"),
  REQUESTS_REFUSED("kaka_requests_refused_total", Kind.COUNTER, "Produces and fetches that were refused (per partition where one request has many), and requests that could not be taken, by the error that was answered.", "protocol", "reason"),
  APPENDS_REFUSED("kaka_batches_refused_total", Kind.COUNTER, "Batches that a partition did not store, by its reason.", "reason"),

  // ---------------------------------------------------------------- records
  PRODUCED_RECORDS("kaka_produced_records_total", Kind.COUNTER, "Records stored and acknowledged.", "topic", "partition"),
  PRODUCED_BYTES("kaka_produced_bytes_total", Kind.COUNTER, "Bytes of batches stored and acknowledged, as they are on the disk.", "topic", "partition"),
  PRODUCED_BATCHES("kaka_produced_batches_total", Kind.COUNTER, "Batches stored and acknowledged.", "topic", "partition"),
  FETCHED_RECORDS("kaka_fetched_records_total", Kind.COUNTER, "Records handed to consumers; of a batch that is handed out whole, all of its records.", "topic", "partition"),
  FETCHED_BYTES("kaka_fetched_bytes_total", Kind.COUNTER, "Bytes of records handed to consumers, as they are on the wire.", "topic", "partition"),

  // ---------------------------------------------------------------- commits
  COMMIT_SECONDS("kaka_commit_duration_seconds", Kind.SECONDS, "How long a produce spends at its partition, by stage: queue (until its commit begins; per append), write, sync (per commit), total (until it is acknowledged; per append).", "stage"),
  COMMIT_BYTES("kaka_commit_size_bytes", Kind.BYTES, "Bytes per commit: what one write and one sync cover."),
  COMMIT_RECORDS("kaka_commit_records", Kind.COUNT, "Records per commit."),

  // ---------------------------------------------------------------- logs
  LOG_SIZE("kaka_log_size_bytes", Kind.GAUGE, "Bytes of a log's segments.", "topic", "partition"),
  LOG_SEGMENTS("kaka_log_segments", Kind.GAUGE, "Segments of a log, the active one counted.", "topic", "partition"),
  LOG_START("kaka_log_start_offset", Kind.GAUGE, "First offset that can be read; of several partitions, the sum.", "topic", "partition"),
  LOG_HIGH_WATERMARK("kaka_log_high_watermark", Kind.GAUGE, "One past the last acknowledged offset; of several partitions, the sum.", "topic", "partition"),
  LOG_LAST_STABLE("kaka_log_last_stable_offset", Kind.GAUGE, "Where readers of committed records end: below the high watermark while a transaction is open; of several partitions, the sum.", "topic", "partition"),
  RETENTION_SEGMENTS("kaka_retention_deleted_segments_total", Kind.COUNTER, "Segments deleted by retention, or because their records were."),
  RETENTION_BYTES("kaka_retention_deleted_bytes_total", Kind.COUNTER, "Bytes of those segments."),
  COMPACTION_RUNS("kaka_compaction_runs_total", Kind.COUNTER, "Compactions of a log that ended, by outcome: done, failed.", "outcome"),
  COMPACTION_RUNNING("kaka_compaction_running", Kind.GAUGE, "Compactions under way."),
  COMPACTION_BYTES("kaka_compaction_worked_bytes_total", Kind.COUNTER, "Bytes read and written by compactions that are done."),
  COMPACTION_RECORDS("kaka_compaction_dropped_records_total", Kind.COUNTER, "Records dropped by compactions that are done."),

  // ---------------------------------------------------------------- groups
  GROUPS("kaka_groups", Kind.GAUGE, "Groups with committed offsets or members."),
  GROUP_STATES("kaka_group_states", Kind.GAUGE, "Groups by state, as of the page before: empty, preparing_rebalance, completing_rebalance, stable, reconciling.", "state"),
  GROUP_LAG("kaka_group_lag_records", Kind.GAUGE, "High watermark minus committed offset, at least 0.", "group", "topic", "partition"),
  GROUP_OFFSET("kaka_group_committed_offset", Kind.GAUGE, "Committed offset; of several partitions, the sum.", "group", "topic", "partition"),

  // ---------------------------------------------------------------- transactions
  TRANSACTIONS("kaka_transactions", Kind.GAUGE, "Transactional ids by the state of their last transaction, as of the page before: empty (they had none), ongoing, prepare_commit, prepare_abort, complete_commit, complete_abort.", "state"),
  TRANSACTION_OLDEST("kaka_transaction_oldest_open_seconds", Kind.GAUGE, "How long the oldest transaction has been open, or not told to all of its partitions, as of the page before; 0 if none is."),
  TRANSACTIONS_ENDED("kaka_transactions_ended_total", Kind.COUNTER, "Transactions decided, as of the page before, by outcome: committed, aborted, timed_out (aborted because they lasted too long).", "outcome"),

  // ---------------------------------------------------------------- quotas
  THROTTLES("kaka_throttles_total", Kind.COUNTER, "How often a client was made to wait because of its quota, by direction: produce, fetch.", "direction"),
  THROTTLE_SECONDS("kaka_throttle_seconds_total", Kind.COUNTER, "How long clients were made to wait because of their quotas, by direction: produce, fetch.", "direction"),
  THROTTLED_CLIENTS("kaka_clients_throttled", Kind.GAUGE, "Clients that have to wait now; those that share one rate, because there are too many, count as one."),

  // ---------------------------------------------------------------- connections
  CONNECTIONS("kaka_connections", Kind.GAUGE, "Connections that are open."),
  CONNECTIONS_MAX("kaka_connections_max", Kind.GAUGE, "Connections that may be open at a time."),
  CONNECTIONS_ACCEPTED("kaka_connections_accepted_total", Kind.COUNTER, "Connections accepted."),
  CONNECTIONS_LIMITED("kaka_connections_limited_total", Kind.COUNTER, "Connections ended, kept out or kept waiting by a limit: idle, frame, write (time-outs), address, connections, descriptors (the accept gate).", "limit"),
  IN_FLIGHT_REQUESTS("kaka_requests_in_flight", Kind.GAUGE, "Requests taken and not answered yet, of all connections."),
  IN_FLIGHT_BYTES("kaka_requests_in_flight_bytes", Kind.GAUGE, "Bytes of those requests."),
  CREDIT_WAITING("kaka_connections_waiting_for_credit", Kind.GAUGE, "Connections whose window is full, so that their sockets are not read."),
  CREDIT_WAITS("kaka_credit_waits_total", Kind.COUNTER, "How often a connection's window became full."),
  CREDIT_WAIT_SECONDS("kaka_credit_wait_seconds_total", Kind.COUNTER, "How long windows were full, of all connections together."),

  // ---------------------------------------------------------------- checks of batches
  CHECKS_QUEUED("kaka_checks_queued", Kind.GAUGE, "Checks of compressed or large batches, and long answers to be made, that wait for a thread, by pool: checks, long_checks (what takes long, in turns). Those of clients that have gone are counted until their turn.", "pool"),
  CHECKS_RUNNING("kaka_checks_running", Kind.GAUGE, "Threads of those pools that work.", "pool"),

  // ---------------------------------------------------------------- memory, disk, descriptors
  MEMORY_MAX("kaka_memory_budget_bytes", Kind.GAUGE, "The budget for bytes between sockets and disk."),
  MEMORY_USED("kaka_memory_used_bytes", Kind.GAUGE, "Bytes charged to the budget, by use: produce (batches not acknowledged yet), fetch (slices of answers), groups, other (requests not whole yet, small answers).", "use"),
  MEMORY_REFUSED("kaka_memory_refused_total", Kind.COUNTER, "How often there was no room in the budget for what was asked."),
  DISK_FREE("kaka_disk_free_bytes", Kind.GAUGE, "Bytes free for kaka on the data directory's disk."),
  DISK_SIZE("kaka_disk_size_bytes", Kind.GAUGE, "Bytes of that disk, whoever has them."),
  DISK_MIN_FREE("kaka_disk_min_free_bytes", Kind.GAUGE, "Below so many free bytes produces are refused."),
  FILES_OPEN("kaka_storage_files_open", Kind.GAUGE, "Files that storage has open."),
  FILES_MAX("kaka_storage_files_max", Kind.GAUGE, "Files that storage may have open."),

  // ---------------------------------------------------------------- this page
  SCRAPES("kaka_scrapes_total", Kind.COUNTER, "How often this page was made."),
  SERIES_BOUND("kaka_metrics_aggregated", Kind.GAUGE, "1 if there are more partitions, or group offsets, than kaka.metrics.max-series, so that those series are sums per topic or fewer.", "of");

  /** What a number means, and how it is written. */
  public enum Kind {
    /** Only grows, while the broker runs. */
    COUNTER("counter"),
    /** As it is now. */
    GAUGE("gauge"),
    /** Always 1. */
    INFO("gauge"),
    /** A histogram of durations. */
    SECONDS("histogram"),
    /** A histogram of sizes. */
    BYTES("histogram"),
    /** A histogram of counts. */
    COUNT("histogram");

    private final String type;

    Kind(String type) {
      this.type = type;
    }

    /** As Prometheus calls it. */
    public String type() {
      return type;
    }

    boolean isHistogram() {
      return this == SECONDS || this == BYTES || this == COUNT;
    }
  }

  private final String text;
  private final Kind kind;
  private final String help;
  private final List<String> labels;

  Metric(String text, Kind kind, String help, String... labels) {
    this.text = text;
    this.kind = kind;
    this.help = help;
    this.labels = List.of(labels);
  }

  /** As it is scraped. */
  public String text() {
    return text;
  }

  public Kind kind() {
    return kind;
  }

  /** What it says, a sentence or two. */
  public String help() {
    return help;
  }

  /** The names of its labels, in the order in which {@link Samples} is given their values. */
  public List<String> labels() {
    return labels;
  }
}
