{% test has_parent(model, columns, parent, parent_columns) %}
select {{ columns | join(', ') }}
from {{ model }}
where ({{ columns | join(', ') }}) not in (select {{ parent_columns | join(', ') }} from {{ parent }})
{% endtest %}
