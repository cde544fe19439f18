package kaka.metrics;

/** What Micrometer tells of the process and its JVM, under its own names: for the document, and for whoever wants to know them. */
public enum JvmMetric {
  JVM_MEMORY_USED("jvm_memory_used_bytes", "gauge", "area, id", "Memory used, by pool."),
  JVM_MEMORY_COMMITTED("jvm_memory_committed_bytes", "gauge", "area, id", "Memory taken from the system, by pool."),
  JVM_MEMORY_MAX("jvm_memory_max_bytes", "gauge", "area, id", "Largest that a pool may become; -1 where there is no bound."),
  JVM_BUFFER_COUNT("jvm_buffer_count_buffers", "gauge", "id", "Buffers outside of the heap."),
  JVM_BUFFER_USED("jvm_buffer_memory_used_bytes", "gauge", "id", "Memory that they use."),
  JVM_BUFFER_CAPACITY("jvm_buffer_total_capacity_bytes", "gauge", "id", "What they can hold."),
  JVM_GC_PAUSE("jvm_gc_pause_seconds", "summary", "action, cause, gc", "Pauses for garbage collection since the first page was asked for."),
  JVM_GC_PAUSE_MAX("jvm_gc_pause_seconds_max", "gauge", "action, cause, gc", "The longest of the last minutes."),
  JVM_GC_CONCURRENT("jvm_gc_concurrent_phase_time_seconds", "summary", "action, cause, gc", "Time in collection's concurrent phases."),
  JVM_GC_CONCURRENT_MAX("jvm_gc_concurrent_phase_time_seconds_max", "gauge", "action, cause, gc", "The longest of the last minutes."),
  JVM_GC_ALLOCATED("jvm_gc_memory_allocated_bytes_total", "counter", "", "Memory allocated, seen from one collection to the next."),
  JVM_GC_PROMOTED("jvm_gc_memory_promoted_bytes_total", "counter", "", "Memory that went to the old generation."),
  JVM_GC_LIVE("jvm_gc_live_data_size_bytes", "gauge", "", "What was left in the old generation after the last full collection."),
  JVM_GC_MAX("jvm_gc_max_data_size_bytes", "gauge", "", "Largest that the old generation may become."),
  JVM_THREADS_LIVE("jvm_threads_live_threads", "gauge", "", "Threads."),
  JVM_THREADS_DAEMON("jvm_threads_daemon_threads", "gauge", "", "Those that do not keep the JVM running."),
  JVM_THREADS_PEAK("jvm_threads_peak_threads", "gauge", "", "The most that there were."),
  JVM_THREADS_STARTED("jvm_threads_started_threads_total", "counter", "", "Threads started."),
  JVM_THREADS_STATES("jvm_threads_states_threads", "gauge", "state", "Threads by state."),
  PROCESS_CPU_USAGE("process_cpu_usage", "gauge", "", "Part of the machine's CPU that the process uses, 0 to 1."),
  PROCESS_CPU_TIME("process_cpu_time_ns_total", "counter", "", "CPU time of the process, in nanoseconds."),
  PROCESS_UPTIME("process_uptime_seconds", "gauge", "", "How long the JVM has been running."),
  PROCESS_START("process_start_time_seconds", "gauge", "", "When it was started, in seconds since 1970."),
  PROCESS_FILES_OPEN("process_files_open_files", "gauge", "", "Open file descriptors, sockets counted."),
  PROCESS_FILES_MAX("process_files_max_files", "gauge", "", "How many there may be."),
  SYSTEM_CPU_USAGE("system_cpu_usage", "gauge", "", "Part of the machine's CPU in use, by whomever."),
  SYSTEM_CPU_COUNT("system_cpu_count", "gauge", "", "Processors that the JVM may use."),
  SYSTEM_LOAD("system_load_average_1m", "gauge", "", "Average load of the last minute.");

  private final String text;
  private final String type;
  private final String labels;
  private final String help;

  JvmMetric(String text, String type, String labels, String help) {
    this.text = text;
    this.type = type;
    this.labels = labels;
    this.help = help;
  }

  /** As it is scraped. */
  public String text() {
    return text;
  }

  public String type() {
    return type;
  }

  /** Names, separated by commas. */
  public String labels() {
    return labels;
  }

  public String help() {
    return help;
  }
}
