package kaka.protocol;

/** The type byte of every frame. A request's answer has the request's type with the high bit set, except where named. */
public final class MessageType {
  public static final int PRODUCE = 0x01;
  public static final int FETCH = 0x02;
  public static final int COMMIT = 0x03;
  public static final int OFFSETS = 0x04;
  public static final int METADATA = 0x05;
  public static final int HELLO = 0x06;
  public static final int CREATE_TOPIC = 0x07;
  public static final int DELETE_TOPIC = 0x08;
  public static final int DESCRIBE_TOPIC = 0x09;
  public static final int OFFSET_FOR_TIME = 0x0a;

  /** Answered by {@link #PRODUCE_ACK}, as PRODUCE is. */
  public static final int PRODUCE_BATCH = 0x0b;

  public static final int FETCH_BATCHES = 0x0c;
  public static final int DELETE_RECORDS = 0x0d;
  public static final int ADD_PARTITIONS = 0x0e;
  public static final int ALTER_TOPIC = 0x0f;

  public static final int JOIN_GROUP = 0x10;
  public static final int GROUP_HEARTBEAT = 0x11;
  public static final int LEAVE_GROUP = 0x12;
  public static final int GROUP_COMMIT = 0x13;
  public static final int GROUP_OFFSETS = 0x14;
  public static final int LIST_GROUPS = 0x15;
  public static final int DESCRIBE_GROUP = 0x16;
  public static final int DELETE_GROUP = 0x17;
  public static final int LIST_TYPED_GROUPS = 0x18;

  public static final int PRODUCE_ACK = 0x81;
  public static final int RECORDS = 0x82;
  public static final int COMMIT_ACK = 0x83;
  public static final int OFFSET = 0x84;
  public static final int METADATA_REPLY = 0x85;
  public static final int HELLO_REPLY = 0x86;
  public static final int CREATE_TOPIC_REPLY = 0x87;
  public static final int DELETE_TOPIC_REPLY = 0x88;
  public static final int DESCRIBE_TOPIC_REPLY = 0x89;
  public static final int OFFSET_FOR_TIME_REPLY = 0x8a;
  public static final int RECORD_BATCHES = 0x8c;
  public static final int DELETE_RECORDS_REPLY = 0x8d;
  public static final int ADD_PARTITIONS_REPLY = 0x8e;
  public static final int ALTER_TOPIC_REPLY = 0x8f;

  public static final int JOIN_GROUP_REPLY = 0x90;
  public static final int GROUP_HEARTBEAT_REPLY = 0x91;
  public static final int LEAVE_GROUP_REPLY = 0x92;
  public static final int GROUP_COMMIT_REPLY = 0x93;
  public static final int GROUP_OFFSETS_REPLY = 0x94;
  public static final int LIST_GROUPS_REPLY = 0x95;
  public static final int DESCRIBE_GROUP_REPLY = 0x96;
  public static final int DELETE_GROUP_REPLY = 0x97;
  public static final int LIST_TYPED_GROUPS_REPLY = 0x98;

  /** Answers any request. */
  public static final int ERROR = 0xff;

  private MessageType() {}

  /** What a request of that type is called, in metrics; {@code unknown} for every type that there is not. */
  public static String nameOf(int type) {
    return switch (type) {
      case PRODUCE -> "produce";
      case FETCH -> "fetch";
      case COMMIT -> "commit";
      case OFFSETS -> "offsets";
      case METADATA -> "metadata";
      case HELLO -> "hello";
      case CREATE_TOPIC -> "create_topic";
      case DELETE_TOPIC -> "delete_topic";
      case DESCRIBE_TOPIC -> "describe_topic";
      case OFFSET_FOR_TIME -> "offset_for_time";
      case PRODUCE_BATCH -> "produce_batch";
      case FETCH_BATCHES -> "fetch_batches";
      case DELETE_RECORDS -> "delete_records";
      case ADD_PARTITIONS -> "add_partitions";
      case ALTER_TOPIC -> "alter_topic";
      case JOIN_GROUP -> "join_group";
      case GROUP_HEARTBEAT -> "group_heartbeat";
      case LEAVE_GROUP -> "leave_group";
      case GROUP_COMMIT -> "group_commit";
      case GROUP_OFFSETS -> "group_offsets";
      case LIST_GROUPS -> "list_groups";
      case DESCRIBE_GROUP -> "describe_group";
      case DELETE_GROUP -> "delete_group";
      case LIST_TYPED_GROUPS -> "list_typed_groups";
      default -> "unknown";
    };
  }
}
