#!/usr/bin/env bash
# Says in an issue which jobs of the nightly run RUN_ID have failed: in the open one of this title if there is one, so that a
# fault that stays is one issue and not one for each night. Uses GitHub's command line (gh).
set -euo pipefail

title='The nightly run has failed'
failed=$(gh run view "$RUN_ID" --json jobs \
	--jq '.jobs[] | select(.conclusion | IN("", "success", "skipped") | not) | "- " + .name')
body=$(printf '%s\n\n%s\n' "$RUN_URL" "$failed")
issue=$(gh issue list --state open --limit 200 --json number,title \
	--jq "map(select(.title == \"$title\")) | .[0].number // empty")
if [ -n "$issue" ]; then
	gh issue comment "$issue" --body "$body"
else
	gh issue create --title "$title" --body "$body"
fi
