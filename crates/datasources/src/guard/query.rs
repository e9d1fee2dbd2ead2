//! Checks queries, their clauses and the tables that they read. Every struct is destructured without `..`, so
//! that a field that a newer parser adds is a compile error until this code handles it.

use sqlparser::ast::{
    Cte, Distinct, Fetch, GroupByExpr, Join, JoinConstraint, JoinOperator, LimitClause,
    NamedWindowDefinition, NamedWindowExpr, Offset, OrderBy, OrderByExpr, OrderByKind, OrderByOptions,
    OrderBySort, Query, Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind, SetExpr,
    SetQuantifier, TableAlias, TableFactor, TableWithJoins, WildcardAdditionalOptions, With,
};

use super::{Checked, Guard, refuse};
use crate::DatasourceKind;

impl Guard {
    /// Checks a whole query.
    pub(super) fn query(self, query: &Query) -> Checked {
        let Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        if !locks.is_empty() {
            return refuse("FOR UPDATE and FOR SHARE lock rows: leave them out");
        }
        if for_clause.is_some() || settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty()
        {
            return refuse("FOR, SETTINGS, FORMAT and |> are not allowed here");
        }
        self.maybe(with.as_ref(), Self::with)?;
        self.body(body)?;
        self.maybe(order_by.as_ref(), Self::order_by)?;
        self.maybe(limit_clause.as_ref(), Self::limit)?;
        self.maybe(fetch.as_ref(), |guard, Fetch { with_ties: _, percent: _, quantity }| {
            guard.maybe(quantity.as_ref(), Self::expr)
        })
    }

    fn with(self, with: &With) -> Checked {
        let With { with_token: _, recursive: _, cte_tables } = with;
        self.each(cte_tables, |guard, cte| {
            let Cte { alias, query, from, materialized: _, closing_paren_token: _ } = cte;
            if from.is_some() {
                return refuse("FROM behind a name of WITH is not allowed here");
            }
            guard.alias(alias)?;
            guard.query(query)
        })
    }

    fn body(self, body: &SetExpr) -> Checked {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => self.query(query),
            SetExpr::SetOperation { left, op: _, set_quantifier, right } => {
                if !matches!(
                    set_quantifier,
                    SetQuantifier::All | SetQuantifier::Distinct | SetQuantifier::None
                ) {
                    return refuse("BY NAME is not allowed here");
                }
                self.body(left)?;
                self.body(right)
            }
            SetExpr::Values(values) => self.each(&values.rows, |guard, row| guard.each(row, Self::expr)),
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                refuse("INSERT, UPDATE, DELETE and MERGE change data: only SELECT is run here, in WITH too")
            }
            SetExpr::Table(_) => refuse("TABLE is not allowed here: write SELECT * FROM"),
        }
    }

    fn select(self, select: &Select) -> Checked {
        let Select {
            select_token: _,
            optimizer_hints,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        if into.is_some() {
            return refuse("SELECT INTO makes a table: leave INTO out");
        }
        let foreign = top.is_some()
            || exclude.is_some()
            || prewhere.is_some()
            || qualify.is_some()
            || value_table_mode.is_some()
            || select_modifiers.is_some()
            || *flavor != SelectFlavor::Standard
            || !(optimizer_hints.is_empty() && lateral_views.is_empty() && connect_by.is_empty())
            || !(cluster_by.is_empty() && distribute_by.is_empty() && sort_by.is_empty());
        if foreign {
            return refuse(format!("this form of SELECT is not {}'s", self.kind.title()));
        }
        if projection.is_empty() {
            return refuse("SELECT must name at least one column");
        }
        if let Some(Distinct::On(columns)) = distinct {
            self.each(columns, Self::expr)?;
        }
        self.each(projection, Self::item)?;
        self.each(from, Self::joined)?;
        self.maybe(selection.as_ref(), Self::expr)?;
        self.group_by(group_by)?;
        self.maybe(having.as_ref(), Self::expr)?;
        self.each(named_window, Self::named_window)
    }

    fn named_window(self, NamedWindowDefinition(name, window): &NamedWindowDefinition) -> Checked {
        self.name(name)?;
        match window {
            NamedWindowExpr::NamedWindow(other) => self.name(other),
            NamedWindowExpr::WindowSpec(spec) => self.window(spec),
        }
    }

    fn item(self, item: &SelectItem) -> Checked {
        match item {
            SelectItem::UnnamedExpr(expr) => self.expr(expr),
            SelectItem::ExprWithAlias { expr, alias } => {
                self.name(alias)?;
                self.expr(expr)
            }
            SelectItem::Wildcard(options) => plain_star(options),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                self.column(name)?;
                plain_star(options)
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _)
            | SelectItem::ExprWithAliases { .. } => refuse("this form of a column is not allowed here"),
        }
    }

    fn group_by(self, group_by: &GroupByExpr) -> Checked {
        match group_by {
            GroupByExpr::Expressions(exprs, modifiers) if modifiers.is_empty() => {
                self.each(exprs, Self::expr)
            }
            _ => refuse("GROUP BY takes columns and expressions here"),
        }
    }

    fn joined(self, table: &TableWithJoins) -> Checked {
        let TableWithJoins { relation, joins } = table;
        self.factor(relation)?;
        self.each(joins, |guard, Join { relation, global, join_operator }| {
            if *global {
                return refuse("GLOBAL joins are not allowed here");
            }
            guard.factor(relation)?;
            guard.join(join_operator)
        })
    }

    fn join(self, join: &JoinOperator) -> Checked {
        let (JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::CrossJoin(constraint)) = join
        else {
            return refuse("use JOIN, LEFT, RIGHT, FULL or CROSS JOIN");
        };
        match constraint {
            JoinConstraint::On(expr) => self.expr(expr),
            JoinConstraint::Using(columns) => self.each(columns, Self::column),
            JoinConstraint::Natural | JoinConstraint::None => Ok(()),
        }
    }

    fn factor(self, factor: &TableFactor) -> Checked {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                with_hints,
                version: None,
                with_ordinality: false,
                partitions,
                json_path: None,
                sample: None,
                index_hints,
            } if with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty() => {
                self.table(name)?;
                self.maybe(alias.as_ref(), Self::alias)
            }
            TableFactor::Derived { lateral, subquery, alias, sample: None } => {
                if *lateral {
                    self.only(DatasourceKind::Postgres, "LATERAL")?;
                }
                self.maybe(alias.as_ref(), Self::alias)?;
                self.query(subquery)
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                self.maybe(alias.as_ref(), Self::alias)?;
                self.joined(table_with_joins)
            }
            _ => refuse("only tables and subqueries may stand behind FROM, no functions, samples or hints"),
        }
    }

    fn alias(self, alias: &TableAlias) -> Checked {
        let TableAlias { explicit: _, name, columns, at } = alias;
        if at.is_some() || columns.iter().any(|column| column.data_type.is_some()) {
            return refuse("an alias gives names and no types here");
        }
        self.name(name)?;
        self.each(columns, |guard, column| guard.name(&column.name))
    }

    fn order_by(self, order_by: &OrderBy) -> Checked {
        match order_by {
            OrderBy { kind: OrderByKind::Expressions(exprs), interpolate: None } => {
                self.each(exprs, Self::ordered)
            }
            _ => refuse("ORDER BY takes columns and expressions here"),
        }
    }

    pub(super) fn ordered(self, by: &OrderByExpr) -> Checked {
        let OrderByExpr { expr, options: OrderByOptions { sort, nulls_first: _ }, with_fill } = by;
        if with_fill.is_some() || matches!(sort, Some(OrderBySort::Using(_))) {
            return refuse("ORDER BY takes ASC, DESC and NULLS FIRST or LAST here");
        }
        self.expr(expr)
    }

    fn limit(self, limit: &LimitClause) -> Checked {
        match limit {
            LimitClause::LimitOffset { limit, offset, limit_by } if limit_by.is_empty() => {
                self.maybe(limit.as_ref(), Self::expr)?;
                self.maybe(offset.as_ref(), |guard, Offset { value, rows: _ }| guard.expr(value))
            }
            LimitClause::LimitOffset { .. } => refuse("LIMIT BY is not allowed here"),
            LimitClause::OffsetCommaLimit { offset, limit } => {
                self.expr(offset)?;
                self.expr(limit)
            }
        }
    }
}

fn plain_star(options: &WildcardAdditionalOptions) -> Checked {
    let WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike: None,
        opt_exclude: None,
        opt_except: None,
        opt_replace: None,
        opt_rename: None,
        opt_alias: None,
    } = options
    else {
        return refuse("`*` takes nothing behind it here");
    };
    Ok(())
}
