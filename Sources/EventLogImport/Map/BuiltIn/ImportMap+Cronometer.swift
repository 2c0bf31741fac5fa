extension ImportMap {
  /// The map of Cronometer's food and recipe entries: one file, with a row for each serving.
  ///
  /// A row has no ID, so its day, food and amount identify it. The amount has a unit of many kinds,
  /// such as `1 cup`, and becomes the note.
  static let cronometerText = #"""
    {
      "source": "cronometer",
      "decimal": ".",
      "ignored": ["Time", "Category"],
      "tables": [
        {
          "files": "{File}.csv",
          "kind": "food",
          "key": "cronometer-{Day}-{Food Name}-{Amount}",
          "several": "each",
          "fields": {
            "name": "Food Name",
            "day": "Day",
            "meal": {
              "column": "Group", "optional": true, "as": "text",
              "values": {
                "Breakfast": "breakfast", "Lunch": "lunch", "Dinner": "dinner",
                "Snacks": "snack", "Uncategorized": null
              }
            },
            "note": "Amount",
            "kcal": {"column": "Energy (kcal)", "lenient": true},
            "protein": {"column": "Protein (g)", "optional": true, "lenient": true},
            "carbohydrates": {"column": "Carbs (g)", "optional": true, "lenient": true},
            "fat": {"column": "Fat (g)", "optional": true, "lenient": true},
            "servings": {"value": 1}
          }
        }
      ]
    }

    """#
}
