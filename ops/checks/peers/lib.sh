# What the checks of Kafka's own programs share; sourced by them, after ../lib.sh. Maven fetches those programs (some 130 MB the first
# time, into Maven's local repository): those of pom.xml, or of peers_pom if that is set; the programs of the checks that lie here
# are compiled, which takes a JDK.
for tool in mvn "${JAVA_HOME:+$JAVA_HOME/bin/}javac"; do
  command -v "$tool" > /dev/null || { echo "needs $tool" >&2; exit 2; }
done

peers=$root/ops/checks/peers
mvn -q -B -f "$peers/${peers_pom:-pom.xml}" dependency:build-classpath "-Dmdep.outputFile=$work/classpath" > "$work/mvn" 2>&1 \
  || { echo "Maven could not fetch Kafka's programs:" >&2; cat "$work/mvn" >&2; exit 2; }
classpath=$peers:$(cat "$work/classpath"):$work/classes

# kafka_program CLASS ARGUMENT...   its log goes to stderr, from WARN on
# in the background "${kafka[@]}" CLASS ... &, whose pid is the program's own
kafka=("$java" -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$classpath")
kafka_program() { "${kafka[@]}" "$@"; }

# compile PROGRAM.java...   of this directory
compile() {
  mkdir -p "$work/classes"
  (cd "$peers" && "${JAVA_HOME:+$JAVA_HOME/bin/}javac" -Xlint:all,-classfile,-processing -cp "$classpath" -d "$work/classes" "$@")
}

# complaints   what the broker has logged from WARN on; nothing, if all is well
complaints() { grep -E ' (WARN|ERROR) ' "$work/broker.err" || true; }
