# The report: tables, figures and one page, over all models and benchmarks of the study.

TABLE_FILES = {
    f"{table}_{suffix}": result("tables", f"{table}.{suffix}")
    for table in ("table1", "table3", "table4", "table5")
    for suffix in ("csv", "md", "tex")
}
FIGURE_FILES = {
    f"{figure}_{suffix}": result("figures", f"{figure}.{suffix}")
    for figure in ("figure1", "bias")
    for suffix in ("svg", "png")
}
