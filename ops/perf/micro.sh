#!/usr/bin/env bash
# micro.sh [JMH ARGUMENTS]   the micro benchmarks (JMH) of src/jmh/java, with short settings: some ten minutes for all.
#   ops/perf/micro.sh LogBenchmark          only those
#   ops/perf/micro.sh -f 3 -i 5 -w 2 -r 2   longer settings instead of those below
#   ops/perf/micro.sh -l                    what there is
# On a shared machine only ratios within one run mean anything.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mvn -B -q -Pjmh test-compile org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath \
  -Dmdep.outputFile=target/jmh.classpath -Dmdep.includeScope=test
settings=()
set_unless_given() { # OPTION VALUE ARGUMENTS...   JMH refuses an option that comes twice
  local option=$1 value=$2 given
  for given in "${@:3}"; do
    [[ $given == "$option" ]] && return
  done
  settings+=("$option" "$value")
}
for setting in "-f 1" "-wi 2" "-w 1" "-i 3" "-r 1"; do
  # shellcheck disable=SC2086 # an option and its value
  set_unless_given $setting "$@"
done
exec java -cp "target/jmh-classes:target/classes:$(cat target/jmh.classpath)" org.openjdk.jmh.Main \
  "${settings[@]}" -jvmArgs "-Xms512m -Xmx512m -Dkaka.logging.level=warn" "$@"
