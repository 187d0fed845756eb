"""Link reports: broken links, redirects, orphans, neighbours, top pages and hosts, export."""
