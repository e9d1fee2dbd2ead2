//! Checks the forms of queries, their clauses and the tables that they read. Every struct is destructured
//! without `..`, so that a field that a newer parser adds is a compile error until this code handles it.

use sqlparser::ast::{
    Cte, GroupByExpr, Join, JoinConstraint, JoinOperator, LimitClause, OrderBy, OrderByExpr, OrderByKind,
    OrderByOptions, OrderBySort, Query, Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind,
    SetExpr, SetQuantifier, TableAlias, TableFactor, TableWithJoins, WildcardAdditionalOptions, With,
};

use super::{Checked, Guard, names::plain, refuse};
use crate::DatasourceKind;

pub fn whole(query: &Query) -> Checked {
    let Query {
        with,
        body,
        order_by: _,
        limit_clause,
        fetch: _,
        locks,
        for_clause,
        settings,
        format_clause,
        pipe_operators,
    } = query;
    if !locks.is_empty() {
        return refuse("FOR UPDATE and FOR SHARE lock rows: leave them out");
    }
    if for_clause.is_some() || settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty() {
        return refuse("FOR, SETTINGS, FORMAT and |> are not allowed here");
    }
    if let Some(With { with_token: _, recursive: _, cte_tables }) = with {
        cte_tables.iter().try_for_each(named)?;
    }
    match limit_clause {
        Some(LimitClause::LimitOffset { limit: _, offset: _, limit_by }) if !limit_by.is_empty() => {
            refuse("LIMIT BY is not allowed here")
        }
        None
        | Some(LimitClause::LimitOffset { .. } | LimitClause::OffsetCommaLimit { offset: _, limit: _ }) => {
            body_of(body)
        }
    }
}

impl Guard {
    pub(super) fn select(self, select: &Select) -> Checked {
        let Select {
            select_token: _,
            optimizer_hints,
            distinct: _,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from,
            lateral_views,
            prewhere,
            selection: _,
            connect_by,
            group_by: _,
            cluster_by,
            distribute_by,
            sort_by,
            having: _,
            named_window: _,
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
        projection.iter().try_for_each(item)?;
        from.iter().try_for_each(joined)
    }

    pub(super) fn factor(self, factor: &TableFactor) -> Checked {
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
                alias.iter().try_for_each(plain_alias)
            }
            TableFactor::Derived { lateral, subquery: _, alias, sample: None } => {
                if *lateral {
                    self.only(DatasourceKind::Postgres, "LATERAL")?;
                }
                alias.iter().try_for_each(plain_alias)
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                alias.iter().try_for_each(plain_alias)?;
                joined(table_with_joins)
            }
            _ => refuse("only tables and subqueries may stand behind FROM, no functions, samples or hints"),
        }
    }
}

pub fn group_by(group_by: &GroupByExpr) -> Checked {
    match group_by {
        GroupByExpr::Expressions(_, modifiers) if modifiers.is_empty() => Ok(()),
        _ => refuse("GROUP BY takes columns and expressions here"),
    }
}

pub fn order_by(order_by: &OrderBy) -> Checked {
    match order_by {
        OrderBy { kind: OrderByKind::Expressions(_), interpolate: None } => Ok(()),
        _ => refuse("ORDER BY takes columns and expressions here"),
    }
}

pub fn ordered(by: &OrderByExpr) -> Checked {
    let OrderByExpr { expr: _, options: OrderByOptions { sort, nulls_first: _ }, with_fill } = by;
    if with_fill.is_some() || matches!(sort, Some(OrderBySort::Using(_))) {
        return refuse("ORDER BY takes ASC, DESC and NULLS FIRST or LAST here");
    }
    Ok(())
}

/// Checks a query in WITH.
fn named(cte: &Cte) -> Checked {
    let Cte { alias, query: _, from, materialized: _, closing_paren_token: _ } = cte;
    if from.is_some() {
        return refuse("FROM behind a name of WITH is not allowed here");
    }
    plain_alias(alias)
}

fn body_of(body: &SetExpr) -> Checked {
    match body {
        SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) => Ok(()),
        SetExpr::SetOperation { left, op: _, set_quantifier, right } => {
            if !matches!(set_quantifier, SetQuantifier::All | SetQuantifier::Distinct | SetQuantifier::None) {
                return refuse("BY NAME is not allowed here");
            }
            body_of(left)?;
            body_of(right)
        }
        SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
            refuse("INSERT, UPDATE, DELETE and MERGE change data: only SELECT is run here, in WITH too")
        }
        SetExpr::Table(_) => refuse("TABLE is not allowed here: write SELECT * FROM"),
    }
}

fn item(item: &SelectItem) -> Checked {
    match item {
        SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { expr: _, alias: _ } => Ok(()),
        SelectItem::Wildcard(options) => plain_star(options),
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
            plain(name)?;
            plain_star(options)
        }
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _)
        | SelectItem::ExprWithAliases { .. } => refuse("this form of a column is not allowed here"),
    }
}

fn joined(TableWithJoins { relation: _, joins }: &TableWithJoins) -> Checked {
    joins.iter().try_for_each(|Join { relation: _, global, join_operator }| {
        let (JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::CrossJoin(constraint)) = join_operator
        else {
            return refuse("use JOIN, LEFT, RIGHT, FULL or CROSS JOIN");
        };
        match constraint {
            _ if *global => refuse("GLOBAL joins are not allowed here"),
            JoinConstraint::Using(columns) => columns.iter().try_for_each(plain),
            JoinConstraint::On(_) | JoinConstraint::Natural | JoinConstraint::None => Ok(()),
        }
    })
}

fn plain_alias(alias: &TableAlias) -> Checked {
    let TableAlias { explicit: _, name: _, columns, at } = alias;
    if at.is_some() || columns.iter().any(|column| column.data_type.is_some()) {
        return refuse("an alias gives names and no types here");
    }
    Ok(())
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
