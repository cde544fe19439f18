#!/usr/bin/env bash
# micro.sh [JMH ARGUMENTS]   the micro benchmarks (JMH) of src/jmh/java, with short settings: some ten minutes for all.
#   ops/perf/micro.sh LogBenchmark          only those
#   ops/perf/micro.sh -f 3 -i 5 -w 2 -r 2   longer settings, which win over those below
#   ops/perf/micro.sh -l                    what there is
# On a shared machine only ratios within one run mean anything.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mvn -B -q -Pjmh test-compile org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath \
  -Dmdep.outputFile=target/jmh.classpath -Dmdep.includeScope=test
exec java -cp "target/jmh-classes:target/classes:$(cat target/jmh.classpath)" org.openjdk.jmh.Main \
  -f 1 -wi 2 -w 1 -i 3 -r 1 -jvmArgs "-Xms512m -Xmx512m -Dkaka.logging.level=warn" "$@"
